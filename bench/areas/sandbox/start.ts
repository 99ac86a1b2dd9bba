import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../../packages/sandbox/src';
import { stopwatch, type Contestant } from '../../area';
import { openingBook, trading, type Operation } from './operations';

const SEED = 7;
/** As many open orders as half of those that were placed in the other file. */
const OPEN_SHARE = 0.5;
const PRICES = 10_000;
/** Orders between two looks at the disk, as many as arrive in a busy turn. */
export const TURN = 200;
const decimal = (units: number): string => `${Math.floor(units / 100)}.${String(units % 100).padStart(2, '0')}`;

export const temporary = (): string => {
	const folder = mkdtempSync(join(tmpdir(), 'bench-'));
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
	return folder;
};

/** Makes a file in which so many orders were placed, one with open orders, and leaves them as a kill would. */
export async function prepareFile(size: number): Promise<string> {
	process.once('SIGTERM', () => process.exit());
	const folder = temporary();
	await leave(join(folder, 'left.db'), trading(size, SEED));
	await leave(join(folder, 'open.db'), resting(Math.ceil(size * OPEN_SHARE)));
	return folder;
}

/** Orders of which none meets another, at so many prices. */
function resting(count: number): Operation[] {
	const book = openingBook(PRICES);
	return Array.from({ length: count }, (_, index) => ({ ...book[index % PRICES]!, quantity: 1 }) as Operation);
}

async function leave(file: string, operations: readonly Operation[]): Promise<void> {
	const data = `${file}.used`;
	const settings = { orderDelayMs: 0 };
	const { exchange, engine } = await startSandbox({ data, clock: 'virtual', marketMaker: false, settings });
	for (const accountId of ['trader', 'second'])
		for (const currency of ['NGN', 'USD']) exchange.apply(deposit(accountId, currency));
	engine.advanceTo(engine.state.now + 1_000);
	for (const [index, operation] of operations.entries()) {
		exchange.apply(orderOf(operation, index));
		engine.advanceTo(engine.state.now + 1);
		if (index % TURN === 0) await new Promise(setImmediate);
	}
	await new Promise(setImmediate);
	copyDatabase(data, file);
}

export const deposit = (accountId: string, currency: string) => ({
	kind: 'transaction' as const,
	accountId,
	movement: {
		...{ kind: 'deposit' as const, rail: 'fiat' as const, currency },
		...{ settlementRail: null, chain: null, amount: 10n ** 15n },
	},
});

/** A cancel counts as an order of the smallest size, so that every line of the journal is an order. */
function orderOf(operation: Operation, index: number) {
	const isLimit = operation.kind === 'limit';
	const [side, quantity] = operation.kind === 'cancel' ? (['buy', 1] as const) : [operation.side, operation.quantity];
	const price = isLimit ? decimal(operation.price) : undefined;
	const type = isLimit ? 'limit' : 'market';
	const fields = { pair_id: 'USD/NGN', side, order_type: type, quantity: decimal(quantity), price };
	const accountId = index % 2 === 0 ? 'trader' : 'second';
	return { kind: 'order_create' as const, accountId, fields, key: `key-${index}`, fingerprint: `order ${index}` };
}

function copyDatabase(from: string, to: string): void {
	copyFileSync(from, to);
	if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`);
}

/** A start on such a file, up to where the first request would be answered. */
const startOn = (title: string, file?: string): Contestant => ({
	title,
	run: async (_, folder) => {
		const data = join(temporary(), 'exchange.db');
		if (file !== undefined) copyDatabase(join(folder, file), data);
		const end = stopwatch();
		const { engine } = await startSandbox({ data });
		const sample = end(1);
		if (file !== undefined && engine.state.orders.size === 0) throw new Error('Nothing was read');
		return sample;
	},
});

export const starts = {
	empty: { ...startOn('ours, a new file'), felt: 'A start of the sandbox' },
	full: startOn('ours, a file with these orders behind it, after a kill', 'left.db'),
	open: startOn(
		`ours, a file with half as many open orders at ${PRICES.toLocaleString('en')} prices, after a kill`,
		'open.db',
	),
};
