import { compileFunction } from 'node:vm';
import { ExchangeError, type Item, type StoredCheckpoint, type StreamEvent } from '@partner-exchange/core';
import { bundled } from '../../simulation/support/patched';
import { purses } from './made-up/purses';
import { data, openStage, type StageOptions } from './stage';

const PURSES = 'user.purses';
/** What the guide asks of a new topic: its words, its file, and its name in the table of topics. */
const steps = [
	{
		file: 'catalogue/topics.ts',
		find: 'export const topics = {',
		replace: `export const topics = { '${PURSES}': { label: 'Purses', help: '', access: 'walletRead', perPair: false },`,
	},
	{
		file: 'stream/topics/index.ts',
		find: 'const topics: Record<TopicId, Topic> = {',
		replace: `import { purses } from '${process.cwd()}/test/core/stream/made-up/purses'; const topics = { '${PURSES}': purses,`,
	},
];

type Create = NonNullable<StageOptions['create']>;
let create: Create;

beforeAll(async () => {
	const text = await bundled('packages/core/src/index.ts', ...steps.map((patch) => ({ name: PURSES, patch })));
	const core = { exports: {} as { createStream: Create } };
	(compileFunction(text, ['module', 'exports', 'require']) as (...args: unknown[]) => void)(
		core,
		core.exports,
		require,
	);
	create = core.exports.createStream;
});

const purse = (currency: string, available: string, more: Item = {}): Item => ({
	currency,
	available,
	locked: '0',
	...more,
});
const amountsOf = (events: readonly StreamEvent[]) =>
	events.map(({ data: payload, delivery }) => [delivery, (payload as Item).currency, (payload as Item).available]);

/** A trigger on purses, whose present state REST shows. */
async function openPurses(balances: Item[], more: { checkpoint?: StoredCheckpoint; fails?: boolean } = {}) {
	const stage = openStage({ create });
	const service = { balances, fails: more.fails ?? false };
	stage.client.call = async () => {
		await Promise.resolve();
		if (service.fails) throw new ExchangeError('unreachable', { what: 'It does not answer' });
		return { balances: service.balances, credit: { currency: 'NGN' } };
	};
	const seen = stage.consume({ topics: [PURSES], checkpoint: more.checkpoint, retriesFirstConnection: true });
	await stage.settled();
	let seq = 0;
	const say = async (record: Item) => {
		stage.sockets.at(-1)!.say(data(PURSES, (seq += 1), { balance: record }));
		await stage.settled();
	};
	return { ...stage, service, seen, say, reports: () => amountsOf(seen.events.splice(0)) };
}

describe('a topic that keeps a state', () => {
	it('delivers no state from before a first start, and each change as it happens', async () => {
		const { say, reports } = await openPurses([purse('NGN', '5'), purse('USD', '7')]);
		expect(reports()).toEqual([]);
		await say(purse('NGN', '5'));
		await say(purse('NGN', '6'));
		await say(purse('NGN', '6.00', { available: '6' }));
		expect(reports()).toEqual([['live', 'NGN', '6']]);
	});

	it('delivers a state that returns as an event of its own', async () => {
		const { say, seen, reports } = await openPurses([purse('NGN', '5')]);
		for (const available of ['6', '5', '6']) await say(purse('NGN', available));
		expect(new Set(seen.keys()).size).toBe(3);
		expect(seen.keys()[0]).toBe(purses.identify(purse('NGN', '6'))!.key);
		expect(reports().map(([, , available]) => available)).toEqual(['6', '5', '6']);
	});

	it('reads the whole state after a disconnection, and delivers what differs', async () => {
		const { service, sockets, pass, reports } = await openPurses([purse('NGN', '5'), purse('USD', '7')]);
		await pass(60_000);
		sockets.at(-1)!.close();
		service.balances = [purse('NGN', '5'), purse('USD', '9'), purse('GBP', '1')];
		await pass(60_000);
		expect(reports()).toEqual([
			['reconciled', 'USD', '9'],
			['reconciled', 'GBP', '1'],
		]);
	});

	it('delivers once after a restart each record whose state changed meanwhile', async () => {
		const first = await openPurses([purse('NGN', '5')]);
		await first.say(purse('NGN', '6'));
		const checkpoint = first.seen.positions!;
		const second = await openPurses([purse('NGN', '8')], { checkpoint });
		await second.pass(120_000);
		expect(second.reports()).toEqual([['reconciled', 'NGN', '8']]);
	});

	it('keeps a changed state although a read lags behind the stream', async () => {
		const { service, say, pass, reports } = await openPurses([purse('NGN', '5')]);
		await say(purse('NGN', '6'));
		await pass(25_000);
		service.balances = [purse('NGN', '6')];
		await pass(120_000);
		expect(reports()).toEqual([['live', 'NGN', '6']]);
	});

	it('accepts a state of a read that contradicts the stream for longer than lists lag', async () => {
		const { say, pass, reports } = await openPurses([purse('NGN', '5')]);
		await say(purse('NGN', '6'));
		await pass(120_000);
		expect(reports()).toEqual([
			['live', 'NGN', '6'],
			['reconciled', 'NGN', '5'],
		]);
	});

	it('delivers the state if its first backfill comes late', async () => {
		const { service, pass, reports } = await openPurses([purse('NGN', '5')], { fails: true });
		await pass(3_000);
		service.fails = false;
		await pass(60_000);
		expect(reports()).toEqual([['reconciled', 'NGN', '5']]);
	});
});
