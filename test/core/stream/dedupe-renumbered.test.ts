import type { Item } from '@partner-exchange/core';
import { data, openStage, trade } from './stage';

const TRADES = { topics: ['trades.USD_NGN'], batchMax: 1_000 };
const SECOND_MS = 1_000;

/**
 * Five trades of one run are delivered; then the service restarts with other trades, the last of which arrives live.
 */
async function restarted(rows: (stage: ReturnType<typeof openStage>) => Item[]) {
	const stage = openStage();
	const seen = stage.consume(TRADES);
	await stage.pass(100);
	const first = Array.from({ length: 5 }, (_, index) => trade(index + 1));
	stage.lists['market.trades'] = first;
	first.forEach((row, index) => stage.sockets[0]!.say(data('trades.USD_NGN', index + 1, row)));
	await stage.pass(60 * SECOND_MS);
	stage.sockets[0]!.close();
	await stage.pass(9 * SECOND_MS);
	const again = rows(stage);
	stage.sockets[1]!.say(data('trades.USD_NGN', 1, again.at(-1)!, 'e2'));
	await stage.settled();
	stage.lists['market.trades'] = again;
	await stage.pass(120 * SECOND_MS);
	return { again, reports: seen.keys().slice(5) };
}

/** Another trade under a number that was used before. */
const other = (stage: ReturnType<typeof openStage>, sequence: number): Item => ({
	...trade(sequence),
	id: `again-${sequence}`,
	created_at: new Date(stage.time.now()).toISOString(),
});

/**
 * The first trade is delivered live; the rest is backfilled, partly before a message shows another run of the service.
 */
async function readUnnoticed(rows: (stage: ReturnType<typeof openStage>) => Item[]) {
	const stage = openStage();
	const seen = stage.consume(TRADES);
	await stage.pass(60 * SECOND_MS);
	stage.lists['market.trades'] = [trade(1)];
	stage.sockets.at(-1)!.say(data('trades.USD_NGN', 1, trade(1)));
	await stage.pass(60 * SECOND_MS);
	const [last, ...before] = rows(stage).toReversed();
	stage.lists['market.trades'] = before;
	await stage.pass(60 * SECOND_MS);
	stage.lists['market.trades'] = [...before, last!];
	stage.sockets.at(-1)!.say(data('trades.USD_NGN', 1, last!, 'e2'));
	await stage.pass(120 * SECOND_MS);
	return seen.keys().slice(1).toSorted();
}

const count = (to: number): number[] => Array.from({ length: to }, (_, index) => index + 1);

describe('public trades of a service that numbers them anew', () => {
	it.each([3, 5, 8])(
		'delivers renumbered public trades once, although %s of them came before it was noticed',
		async (made) => {
			const { again, reports } = await restarted((stage) => count(made).map((sequence) => other(stage, sequence)));
			expect(reports.toSorted()).toEqual(again.map(({ id }) => `trade:${String(id)}`).toSorted());
		},
	);

	it('delivers no public trade again if numbers continue under identifiers of another kind', async () => {
		const { reports } = await restarted(() =>
			count(6).map((sequence) => ({ ...trade(sequence), id: `row-${sequence}` })),
		);
		expect(reports).toEqual(['trade:row-6']);
	});

	it('delivers renumbered public trades once, although a backfill brought some before a message showed another run', async () => {
		const reports = await readUnnoticed((stage) => count(3).map((sequence) => other(stage, sequence)));
		expect(reports).toEqual(['trade:again-1', 'trade:again-2', 'trade:again-3']);
	});

	it('delivers no public trade again if numbers continue, although a backfill brought the latest', async () => {
		const reports = await readUnnoticed(() => count(4).map(trade));
		expect(reports).toEqual(['trade:trade-2', 'trade:trade-3', 'trade:trade-4']);
	});

	it('delivers renumbered public trades under delivered numbers, although lower ones were not delivered', async () => {
		const stage = openStage();
		const seen = stage.consume(TRADES);
		await stage.pass(60 * SECOND_MS);
		// No list shows the earlier trades.
		for (const sequence of [3, 4]) stage.sockets.at(-1)!.say(data('trades.USD_NGN', sequence, trade(sequence)));
		await stage.settled();
		stage.sockets.at(-1)!.close();
		await stage.pass(9 * SECOND_MS);
		const again: Item[] = [];
		for (const sequence of count(5)) {
			again.push(other(stage, sequence));
			stage.lists['market.trades'] = [...again];
			stage.sockets.at(-1)!.say(data('trades.USD_NGN', sequence, again.at(-1)!, 'e2'));
			await stage.pass(60 * SECOND_MS);
		}
		expect(seen.keys().slice(2)).toEqual(again.map(({ id }) => `trade:${String(id)}`));
	});

	it('delivers no public trade again to a subscriber that stops soon after a restart was noticed', async () => {
		const stage = openStage();
		const seen = stage.consume(TRADES);
		await stage.pass(20 * SECOND_MS);
		stage.lists['market.trades'] = [trade(1)];
		stage.sockets[0]!.say(data('trades.USD_NGN', 1, trade(1)));
		await stage.pass(20 * SECOND_MS);
		const again = count(2).map((sequence) => other(stage, sequence));
		stage.lists['market.trades'] = again;
		stage.sockets.at(-1)!.say(data('trades.USD_NGN', 1, again.at(-1)!, 'e2'));
		await stage.pass(10 * SECOND_MS);
		await seen.subscription.close();
		expect(seen.keys().toSorted()).toEqual(['trade:again-1', 'trade:again-2', 'trade:trade-1']);
		const next = stage.consume({ ...TRADES, checkpoint: seen.positions });
		await stage.pass(60 * SECOND_MS);
		expect(next.keys()).toEqual([]);
	});

	it('delivers renumbered public trades once, although one under the last number came live before a further sign', async () => {
		const stage = openStage();
		const seen = stage.consume(TRADES);
		await stage.pass(100);
		const first = count(5).map(trade);
		stage.lists['market.trades'] = first;
		first.forEach((row, index) => stage.sockets[0]!.say(data('trades.USD_NGN', index + 1, row)));
		await stage.pass(60 * SECOND_MS);
		const again = count(5).map((sequence) => other(stage, sequence));
		stage.sockets.at(-1)!.say(data('trades.USD_NGN', 1, again.at(-1)!, 'e2'));
		await stage.pass(100);
		stage.sockets.at(-1)!.close();
		await stage.pass(9 * SECOND_MS);
		stage.lists['market.trades'] = again;
		await stage.pass(120 * SECOND_MS);
		expect(seen.keys().slice(5).toSorted()).toEqual(again.map(({ id }) => `trade:${String(id)}`).toSorted());
	});

	it('delivers public trades that a subscriber missed that joined after a restart, before the list proved it', async () => {
		const stage = openStage();
		stage.lists['market.trades'] = count(50).map(trade);
		const first = stage.consume(TRADES);
		await first.subscription.ready;
		await stage.pass(20 * SECOND_MS);
		const again = [other(stage, 1)];
		stage.lists['market.trades'] = again;
		stage.sockets[0]!.say(data('trades.USD_NGN', 1, again[0]!, 'e2'));
		await stage.settled();
		const second = stage.consume(TRADES);
		await second.subscription.ready;
		await stage.pass(5 * SECOND_MS);
		again.push(other(stage, 2));
		await stage.pass(120 * SECOND_MS);
		expect([first.keys(), second.keys()]).toEqual([['trade:again-1', 'trade:again-2'], ['trade:again-2']]);
	});
});
