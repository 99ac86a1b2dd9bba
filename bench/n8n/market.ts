import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { makeFill } from '../../test/support/fills';

const FILL_EVERY_MS = 150;

/** A sandbox in which fills happen at a steady rate. */
export interface Market {
	sandbox: Sandbox;
	begin(): void;
	/** The last fill is made when it resolves. */
	pause(): Promise<void>;
	/** Makes so many fills at once. */
	rush(count: number): Promise<void>;
	close(): Promise<void>;
}

export async function openMarket(data: string): Promise<Market> {
	const sandbox = await startSandbox({ marketMaker: false, seed: 7, data, settings: { orderDelayMs: 0 } });
	let timer: NodeJS.Timeout | undefined;
	let underWay: Promise<void> | undefined;
	const fill = (): void => void (underWay ??= makeFill(sandbox).finally(() => (underWay = undefined)));
	return {
		sandbox,
		begin: () => void (timer = setInterval(fill, FILL_EVERY_MS)),
		pause: async () => {
			clearInterval(timer);
			await underWay;
		},
		rush: async (count) => {
			for (let left = count; left > 0; left -= 1) await makeFill(sandbox);
		},
		close: async () => {
			clearInterval(timer);
			await sandbox.close();
		},
	};
}
