import type { StoredCheckpoint } from '@partner-exchange/core';
import { data, openStage, trade } from './stage';

const TOPIC = 'trades.USD_NGN';
const READS_MAX = 15;
/** As n8n activates workflows: one after the other, for a minute. */
const START_MS = 60_000;
const OLD = 50;

/** A pair with a trade a second, each of which the stream brings while a socket is open. */
function openPair() {
	const stage = openStage({ pageMax: 100 });
	let last = 0;
	const make = (count: number): void => {
		for (let made = 0; made < count; made += 1) {
			last += 1;
			stage.lists['market.trades'] = [...(stage.lists['market.trades'] ?? []), trade(last)];
			stage.sockets.at(-1)?.say(data(TOPIC, last, trade(last)));
		}
	};
	stage.lists['market.trades'] = Array.from({ length: OLD }, (_, index) => trade((last = index + 1)));
	const start = async (count: number, consume: (index: number) => ReturnType<typeof stage.consume>) => {
		const came = [];
		for (let index = 0; index < count; index += 1) {
			came.push({ seen: consume(index), after: last });
			await stage.pass(START_MS / count);
			if (index % Math.ceil(count / 60) === 0) make(1);
		}
		return came;
	};
	return { ...stage, make, start, last: () => last };
}

const keysAfter = (after: number, last: number): string[] =>
	Array.from({ length: last - after }, (_, index) => `trade:trade-${after + index + 1}`);

describe.each([100, 300])('%s triggers of the trades of one pair', (count) => {
	it('many triggers of a pair that start for the first time share a few reads, and each gets every trade since it joined', async () => {
		const stage = openPair();
		const came = await stage.start(count, () => stage.consume({ topics: [TOPIC], batchMax: 1_000 }));
		expect(stage.reads.filter((id) => id === 'market.trades').length).toBeLessThanOrEqual(READS_MAX);
		await stage.pass(60_000);
		for (const { seen, after } of came) expect(seen.keys()).toEqual(keysAfter(after, stage.last()));
	});

	it('many triggers of a pair that rejoin share a few reads, and each gets every trade since it left', async () => {
		const stage = openPair();
		const before = await stage.start(count, () => stage.consume({ topics: [TOPIC], batchMax: 1_000 }));
		const left: { checkpoint: StoredCheckpoint; last: number }[] = [];
		for (const { seen } of before) {
			await seen.subscription.close();
			left.push({ checkpoint: seen.positions!, last: stage.last() });
		}
		stage.make(50);
		await stage.pass(2 * START_MS);
		const reads = stage.reads.length;
		const came = await stage.start(count, (index) =>
			stage.consume({ topics: [TOPIC], batchMax: 1_000, checkpoint: left[index]!.checkpoint }),
		);
		expect(stage.reads.slice(reads).filter((id) => id === 'market.trades').length).toBeLessThanOrEqual(READS_MAX);
		await stage.pass(60_000);
		for (const [index, { seen }] of came.entries())
			expect(seen.keys().toSorted()).toEqual(keysAfter(left[index]!.last, stage.last()).toSorted());
	});
});
