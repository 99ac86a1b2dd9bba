import type { Item, StoredCheckpoint } from '@partner-exchange/core';
import { data, openStage, trade, type StageOptions } from './stage';

const TOPIC = 'trades.USD_NGN';
const TRADES = { topics: [TOPIC], batchMax: 1_000 };
const SECOND_MS = 1_000;

type Stage = ReturnType<typeof openStage>;

/** A stage whose confirmations state the service's position. */
function openPlacedStage(options: StageOptions = {}) {
	const place = { epoch: 'e1', seq: 0 };
	const confirms = (topics: string[]): Item => ({
		positions: Object.fromEntries(topics.map((topic) => [topic, { ...place }])),
	});
	return { place, ...openStage({ ...options, confirms }) };
}

/** The trades of another run of the service, numbered from one on. */
const others = (stage: Stage, made: number, name = 'again'): Item[] =>
	Array.from({ length: made }, (_, index) => ({
		...trade(index + 1),
		id: `${name}-${index + 1}`,
		created_at: new Date(stage.time.now()).toISOString(),
	}));

const keysOf = (rows: readonly Item[]): string[] => rows.map(({ id }) => `trade:${String(id)}`);

function say(stage: Stage, row: Item, epoch: string): void {
	stage.sockets.at(-1)!.say(data(TOPIC, Number(row.sequence), row, epoch));
}

/** Three trades are delivered live and the process ends; returns its stored checkpoint. */
async function storedAfterThree(stage: Stage): Promise<StoredCheckpoint> {
	const seen = stage.consume(TRADES);
	await stage.pass(SECOND_MS);
	stage.lists['market.trades'] = [1, 2, 3].map(trade);
	for (const sequence of [1, 2, 3]) say(stage, trade(sequence), 'e1');
	await stage.pass(30 * SECOND_MS);
	expect(seen.keys()).toHaveLength(3);
	await seen.subscription.close();
	return JSON.parse(JSON.stringify(seen.positions)) as StoredCheckpoint;
}

describe('public trades numbered anew while the client was away', () => {
	it.each([2, 3, 5])(
		'delivers each of %s public trades once when the service numbered them again while nobody listened',
		async (made) => {
			const stage = openPlacedStage();
			const checkpoint = await storedAfterThree(stage);
			stage.sockets.at(-1)!.close();
			await stage.pass(3_600 * SECOND_MS);
			stage.place.epoch = 'e2';
			const again = others(stage, made);
			stage.lists['market.trades'] = again;
			const next = stage.consume({ ...TRADES, checkpoint });
			await stage.pass(60 * SECOND_MS);
			say(stage, { ...again[0]!, id: 'later', sequence: made + 1 }, 'e2');
			await stage.pass(60 * SECOND_MS);
			expect(next.keys()).toEqual([...keysOf(again), 'trade:later']);
		},
	);

	it('delivers no public trade again if the service continued its numbers, and reads no more pages', async () => {
		const stage = openPlacedStage();
		const checkpoint = await storedAfterThree(stage);
		stage.sockets.at(-1)!.close();
		await stage.pass(3_600 * SECOND_MS);
		stage.place.epoch = 'e2';
		stage.lists['market.trades'] = [1, 2, 3, 4].map(trade);
		stage.requests.length = 0;
		const next = stage.consume({ ...TRADES, checkpoint });
		await stage.pass(2 * SECOND_MS);
		expect(next.keys()).toEqual(['trade:trade-4']);
		expect(stage.requests.flatMap(({ after_sequence }) => after_sequence ?? [])).toEqual([2, 4]);
	});

	it('delivers renumbered public trades if other subscribers of the process stayed', async () => {
		const stage = openPlacedStage();
		const other = stage.consume(TRADES);
		const checkpoint = await storedAfterThree(stage);
		stage.place.epoch = 'e2';
		const again = others(stage, 4);
		stage.lists['market.trades'] = again;
		say(stage, again[3]!, 'e2');
		await stage.pass(120 * SECOND_MS);
		const next = stage.consume({ ...TRADES, checkpoint });
		await stage.pass(60 * SECOND_MS);
		expect(next.keys()).toEqual(keysOf(again));
		expect(other.keys().slice(3).toSorted()).toEqual(keysOf(again));
	});

	it('delivers renumbered public trades once, although the process ended before it knew their run', async () => {
		const stage = openPlacedStage();
		const checkpoint = await storedAfterThree(stage);
		stage.sockets.at(-1)!.close();
		stage.place.epoch = 'e2';
		const again = others(stage, 5);
		stage.lists['market.trades'] = [];
		const next = stage.consume({ ...TRADES, checkpoint });
		await stage.pass(10 * SECOND_MS);
		for (const row of [again[0]!, again[3]!]) say(stage, row, 'e2');
		await stage.pass(SECOND_MS);
		await next.subscription.close();
		expect(next.keys()).toEqual(['trade:again-1', 'trade:again-4']);
		stage.lists['market.trades'] = again;
		const last = stage.consume({ ...TRADES, checkpoint: next.positions });
		await stage.pass(60 * SECOND_MS);
		expect(last.keys()).toEqual(['trade:again-2', 'trade:again-3', 'trade:again-5']);
	});
});

describe('public trades numbered anew while nothing connects', () => {
	/** Three trades are delivered live; then the connection breaks and cannot be restored. */
	async function disconnected() {
		const stage = openPlacedStage({ opens: false });
		const seen = stage.consume({ topics: [TOPIC] });
		await stage.settled();
		stage.sockets[0]!.open();
		await stage.pass(SECOND_MS);
		stage.lists['market.trades'] = [1, 2, 3].map(trade);
		for (const sequence of [1, 2, 3]) say(stage, trade(sequence), 'e1');
		await stage.pass(60 * SECOND_MS);
		stage.sockets[0]!.close();
		return { stage, seen };
	}

	it('delivers public trades once that were renumbered during an outage and read in it, though the process ends then', async () => {
		const { stage, seen } = await disconnected();
		const again = others(stage, 8);
		stage.lists['market.trades'] = again;
		await stage.pass(60 * SECOND_MS);
		const reports = seen.keys().slice(3);
		expect(reports).toContain('trade:again-8');

		const later = openPlacedStage();
		later.place.epoch = 'e2';
		later.lists['market.trades'] = again;
		const next = later.consume({ topics: [TOPIC], checkpoint: seen.positions });
		await later.pass(60 * SECOND_MS);
		expect([...reports, ...next.keys()].toSorted()).toEqual(keysOf(again));
	});

	it('delivers public trades once that were renumbered during an outage, although an earlier read showed the old ones', async () => {
		const { stage, seen } = await disconnected();
		await stage.pass(60 * SECOND_MS);
		const again = others(stage, 8);
		stage.lists['market.trades'] = again;
		await stage.pass(60 * SECOND_MS);
		expect(seen.keys().slice(3)).toEqual(keysOf(again));
	});

	it('assumes no renumbering during an outage because lists lag, however long', async () => {
		const { stage, seen } = await disconnected();
		stage.lists['market.trades'] = [1, 2].map(trade);
		await stage.pass(300 * SECOND_MS);
		stage.lists['market.trades'] = [1, 2, 3, 4].map(trade);
		await stage.pass(60 * SECOND_MS);
		stage.sockets.at(-1)!.open();
		await stage.pass(60 * SECOND_MS);
		expect(seen.keys().slice(3)).toEqual(['trade:trade-4']);
	});
});

describe('public trades numbered anew twice in a row', () => {
	it('delivers public trades renumbered twice in a row, although lists showed nothing in between', async () => {
		const stage = openPlacedStage();
		const seen = stage.consume(TRADES);
		await stage.pass(SECOND_MS);
		const [first] = others(stage, 1, 'first');
		say(stage, first!, 'e2');
		await stage.pass(30 * SECOND_MS);
		const again = others(stage, 2);
		stage.place.epoch = 'e3';
		stage.sockets.at(-1)!.close();
		stage.lists['market.trades'] = again;
		await stage.pass(60 * SECOND_MS);
		expect(seen.keys()).toEqual(keysOf([first!, ...again]));
	});

	it('delivers public trades renumbered twice in a row, although the first of them were only read', async () => {
		const stage = openPlacedStage();
		const seen = stage.consume(TRADES);
		await stage.pass(SECOND_MS);
		stage.place.epoch = 'e2';
		stage.sockets.at(-1)!.close();
		await stage.pass(30 * SECOND_MS);
		const first = others(stage, 1, 'first');
		const { page } = stage.client;
		// The newest page comes after the others.
		stage.client.page = async (id, input) => (input.after_sequence === undefined ? [] : page(id, input));
		stage.lists['market.trades'] = first;
		await stage.pass(60 * SECOND_MS);
		stage.client.page = page;
		const again = others(stage, 2);
		stage.place.epoch = 'e3';
		stage.sockets.at(-1)!.close();
		stage.lists['market.trades'] = again;
		await stage.pass(60 * SECOND_MS);
		expect(seen.keys()).toEqual(keysOf([...first, ...again]));
	});

	it('delivers public trades numbered anew after a restart of the process in which none had come', async () => {
		const stage = openPlacedStage();
		const checkpoint = await storedAfterThree(stage);
		await stage.pass(3_600 * SECOND_MS);
		const next = stage.consume({ ...TRADES, checkpoint });
		await stage.pass(60 * SECOND_MS);
		const again = others(stage, 5);
		stage.place.epoch = 'e2';
		stage.lists['market.trades'] = again;
		stage.sockets.at(-1)!.close();
		await stage.pass(60 * SECOND_MS);
		expect(next.keys()).toEqual(keysOf(again));
	});

	it('delivers public trades renumbered twice in a row, although the second time came during the check', async () => {
		const stage = openPlacedStage();
		const seen = stage.consume(TRADES);
		await stage.pass(SECOND_MS);
		stage.lists['market.trades'] = [1, 2, 3].map(trade);
		for (const sequence of [1, 2, 3]) say(stage, trade(sequence), 'e1');
		await stage.pass(60 * SECOND_MS);
		const { page } = stage.client;
		let answer: () => void = () => undefined;
		stage.client.page = async (id, input) => {
			const rows = await page(id, input);
			if (input.after_sequence === 2) await new Promise<void>((resolve) => (answer = resolve));
			return rows;
		};
		stage.place.epoch = 'e2';
		stage.sockets.at(-1)!.close();
		await stage.pass(9 * SECOND_MS);
		stage.client.page = page;
		const again = others(stage, 4);
		say(stage, again[3]!, 'e3');
		stage.lists['market.trades'] = again;
		answer();
		await stage.pass(60 * SECOND_MS);
		expect(seen.keys().slice(3).toSorted()).toEqual(keysOf(again));
	});
});

describe('public trades numbered anew where no confirmation tells a place', () => {
	it.each([
		['the connection held', false],
		['the connection broke', true],
	])(
		'delivers renumbered public trades without a position in the confirmation, although no message had come before and %s',
		async (_, breaks) => {
			const stage = openStage();
			stage.lists['market.trades'] = [1, 2, 3].map(trade);
			const seen = stage.consume(TRADES);
			await stage.pass(60 * SECOND_MS);
			expect(seen.keys()).toEqual([]);
			const again = others(stage, 4);
			stage.lists['market.trades'] = again.slice(0, 3);
			if (breaks) stage.sockets.at(-1)!.close();
			await stage.pass(60 * SECOND_MS);
			if (!breaks) say(stage, again[3]!, 'e2');
			stage.lists['market.trades'] = again;
			await stage.pass(60 * SECOND_MS);
			expect(seen.keys().toSorted()).toEqual(keysOf(again));
		},
	);
});
