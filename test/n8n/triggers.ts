import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { until } from '../support/condition';
import { startTrigger, type Emission, type RunningTrigger, type TriggerOptions } from '../support/engine-trigger';
import { makeFill } from '../support/fills';
import { credentialFor } from './exchange';

interface Listening extends TriggerOptions {
	/** The values under Options in the form. */
	form?: object;
}

/** Executions may take this long, and one that is slow takes twice as long. */
export const SHORTEST = { executionSeconds: 1 };

/** A sandbox for each test and triggers that listen to its fills, as one workflow; both end with the test. */
export function openTriggers() {
	let sandbox: Sandbox;
	let tests = 0;
	const open: RunningTrigger[] = [];
	beforeEach(async () => {
		sandbox = await startSandbox({ marketMaker: false, settings: { orderDelayMs: 0 } });
		tests += 1;
	});
	afterEach(async () => {
		await Promise.all(open.splice(0).map((trigger) => trigger.close()));
		await sandbox.close();
	});
	const workflow = (name: string): string => `${name}-${tests}`;
	return {
		sandbox: () => sandbox,
		fill: async () => await makeFill(sandbox),
		/** Makes a fill and waits until its execution has taken too long. */
		outlast: async (pending: readonly Emission[]): Promise<void> => {
			await makeFill(sandbox);
			await until(() => pending.length === 1, { what: 'the first execution' });
			const began = Date.now();
			const isLate = (): boolean => Date.now() - began > 2_000 * SHORTEST.executionSeconds;
			await until(isLate, { what: 'the time an execution may take' });
		},
		/** A workflow ID that no other test uses. */
		workflow,
		listen: async ({ form = {}, ...options }: Listening = {}): Promise<RunningTrigger> => {
			const trigger = await startTrigger(PartnerExchangeTrigger, {
				...credentialFor(sandbox),
				parameters: { topics: ['user.fills'], pairs: [], filters: {}, options: form } as never,
				workflowId: workflow('workflow'),
				...options,
			});
			open.push(trigger);
			return trigger;
		},
	};
}
