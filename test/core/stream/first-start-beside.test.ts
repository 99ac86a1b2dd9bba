import { noticeTexts } from '../../../packages/core/src/stream/notice-text';
import { openStage, trade } from './stage';

const CONSUMER = { topics: ['trades.USD_NGN'], batchMax: 1_000 };
const MINUTE_MS = 60_000;
const MISSED = 7_000;
const tradesTo = (last: number) => Array.from({ length: last }, (_, index) => trade(index + 1));

describe('a first start beside a consumer that missed more than waits for one', () => {
	it('is told nothing from before it, and is not called too slow', async () => {
		const stage = openStage({ pageMax: 100 });
		stage.lists['market.trades'] = tradesTo(10);
		const before = stage.consume(CONSUMER);
		await stage.pass(MINUTE_MS);
		await before.subscription.close();
		stage.lists['market.trades'] = tradesTo(10 + MISSED);
		const returned = stage.consume({ ...CONSUMER, checkpoint: before.positions });
		const first = stage.consume(CONSUMER);
		await stage.pass(3 * MINUTE_MS);
		stage.lists['market.trades'].push(trade(MISSED + 11));
		await stage.pass(MINUTE_MS);
		expect(returned.events).toHaveLength(MISSED + 1);
		expect(first.keys()).toEqual([`trade:trade-${MISSED + 11}`]);
		expect(first.notices.map(({ text }) => text)).not.toContain(noticeTexts.tooSlow);
	});
});
