import { data, openStage, trade } from './stage';

const TRADES = 'trades.USD_NGN';

describe('what is live while what was before is read', () => {
	it('passes although the reading never ends, and nobody is told of a book', async () => {
		const stage = openStage();
		const { sockets, lists, client, consume, pass } = stage;
		lists['trade.list'] = [trade(1)];
		const seen = consume({ topics: [TRADES] });
		await seen.subscription.ready;
		await pass(30_000);
		client.page = async () => new Promise(() => undefined);
		sockets[0]!.close({});
		await pass(10_000);
		sockets[1]!.say(data(TRADES, 5, trade(5)));
		expect(seen.keys()).not.toContain('trade:trade-5');
		await pass(120_000);
		expect(seen.keys()).toContain('trade:trade-5');
		expect(seen.notices.map(({ text }) => text).filter((text) => text.includes('book'))).toEqual([]);
	});
});
