import type { Item } from '@partner-exchange/core';
import { data, openStage, trade } from './stage';

const TRADES = 'trades.USD_NGN';
/** Beyond what a number of JavaScript holds exactly. */
const HUGE = 9_007_199_254_740_993_000n;

/** A service writes integers, and JSON is read without rounding them: as text. */
const huge = (number: number): Item => ({
	...trade(number),
	id: `trade-${number}`,
	sequence: String(HUGE + BigInt(number)),
});
const numbered = (numbers: readonly number[]): Item[] => numbers.map(huge);

async function following() {
	const stage = openStage({ pageMax: 20 });
	stage.client.page = async (id: string, { after_sequence: after }: Item) => {
		stage.reads.push(id);
		await Promise.resolve();
		const rows = stage.lists[id] ?? [];
		const isAsked = ({ sequence }: Item) => BigInt(sequence as string) > BigInt((after ?? 0) as string);
		return rows.filter(isAsked).slice(0, 20);
	};
	stage.lists['market.trades'] = numbered([1, 2, 3]);
	const seen = stage.consume({ topics: [TRADES], batchMax: 50 });
	await seen.subscription.ready;
	await stage.pass(1_000);
	return { ...stage, seen };
}

describe('numbers beyond those that JavaScript holds exactly', () => {
	it('public trades that the stream left out are read back, each once', async () => {
		const { sockets, lists, seen, pass } = await following();
		lists['market.trades'] = numbered(Array.from({ length: 60 }, (_, index) => index + 1));
		sockets[0]!.say(data(TRADES, 1, huge(4)));
		await pass(120_000);
		const expected = Array.from({ length: 57 }, (_, index) => `trade:trade-${index + 4}`);
		expect(seen.keys()).toEqual(expected);
	});

	it('what came while nobody listened is read from the stored number on', async () => {
		const { lists, seen, stream, consume, pass, requests } = await following();
		await pass(60_000);
		await seen.subscription.close();
		lists['market.trades'] = numbered(Array.from({ length: 8 }, (_, index) => index + 1));
		const again = consume({ topics: [TRADES], checkpoint: seen.positions });
		await again.subscription.ready;
		await pass(60_000);
		expect([again.keys().sort(), requests]).toEqual([[4, 5, 6, 7, 8].map((number) => `trade:trade-${number}`), []]);
		await stream.close();
	});

	it('a subscription resumes from the exact position, and tells it', async () => {
		const { sockets, seen, settled, pass } = await following();
		const seq = String(HUGE + 7n);
		sockets[0]!.say(data(TRADES, seq, huge(4)));
		await settled();
		expect(seen.events.at(-1)).toMatchObject({ seq, eventKey: 'trade:trade-4' });
		sockets[0]!.close();
		await pass(10_000);
		expect(sockets[1]!.sent[0]).toMatchObject({ resume: { [TRADES]: { epoch: 'e1', seq } } });
	});
});
