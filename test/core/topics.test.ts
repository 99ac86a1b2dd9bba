import { exactTopics, finality, isPrivate, orderStatuses, pairKey } from '@partner-exchange/core/catalogue';
import { openStage } from './stream/stage';

describe('topics', () => {
	it.each([
		['USD/NGN', 'USD_NGN'],
		['A/B/C', 'A_B_C'],
		['USDNGN', 'USDNGN'],
	])('writes the pair %s as %s in a topic, every slash of it', (pair, key) => {
		expect(pairKey(pair)).toBe(key);
		expect(exactTopics(['trades', 'orderbook'], [pair])).toEqual([`trades.${key}`, `orderbook.${key}`]);
	});

	it('names a topic of the account once, however many pairs are chosen', () => {
		expect(exactTopics(['user.orders', 'trades'], ['USD/NGN', 'EUR/NGN'])).toEqual([
			'user.orders',
			'trades.USD_NGN',
			'trades.EUR_NGN',
		]);
	});

	it.each([
		['trades.USD_NGN', false],
		['orderbook.USD_NGN', false],
		['trades.*', false],
		['user.orders', true],
		['user.fills', true],
		['something.new', true],
		['trades', true],
	])('says whether %s needs the key: %p', (topic, needsKey) => {
		expect(isPrivate(topic)).toBe(needsKey);
	});
});

describe('the finality of a status', () => {
	it('treats an unknown status as open, and expired as of unknown finality', () => {
		expect(['paused', 'toString', ''].map(finality)).toEqual(['open', 'open', 'open']);
		expect(finality('expired')).toBe('unknown');
		expect(Object.keys(orderStatuses).filter((status) => finality(status) === 'final')).toEqual([
			'filled',
			'cancelled',
			'rejected',
		]);
	});
});

describe('a topic', () => {
	it.each(['user.orders\n', 'trades.*\n', 'trades.USD\nNGN', `trades.${'A'.repeat(300)}`, 'trades.', ''])(
		'refuses the unknown topic %j before anything is sent',
		async (topic) => {
			const stage = openStage();
			const { subscription } = stage.consume({ topics: [topic] });
			await expect(subscription.ready).rejects.toMatchObject({ code: 'invalid_input', field: 'topics' });
			await stage.settled();
			expect(stage.sockets.flatMap(({ sent }) => sent)).toEqual([]);
			await stage.stream.close();
		},
	);
});
