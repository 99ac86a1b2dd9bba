import { doubtNumbers, isAnother, knows, restartRun } from '../../../packages/core/src/stream/log/known';
import { append, endOf, newLog, settle, type Cursor, type Log } from '../../../packages/core/src/stream/log/log';
import { knownTo } from '../../../packages/core/src/stream/log/checkpoint';
import { trades } from '../../../packages/core/src/stream/topics/trades';
import { trade } from './stage';

const TRADES = 'trades.USD_NGN';

const logOfTrades = (): Log =>
	newLog(TRADES, { isBook: false, isNumbered: true, isRead: true, arrivals: { count: 0 } });

const event = (id: string, sequence: number) =>
	trades.identify({ ...trade(0), id, quantity: String(id.length), sequence })!;

const arrive = (log: Log, id: string, sequence: number, { isRead = false, run }: { isRead?: boolean; run?: string }) =>
	append(log, event(id, sequence), {
		...{ topic: TRADES, ts: null, now: 0, isRead, run },
		delivery: isRead ? 'reconciled' : 'live',
	});

describe('a service that begins to count its trades again, and again', () => {
	it('is noticed by what came since, where nothing is known of the number before', () => {
		const log = logOfTrades();
		log.known.run = 'first';
		settle(log, 425);
		arrive(log, 'a', 426, { run: 'second' });
		settle(log, 426);
		doubtNumbers(log.known, 'third', endOf(log));
		expect(isAnother(log.known, log.known.doubt!, [event('another', 426)])).toBe(true);
		expect(isAnother(log.known, log.known.doubt!, [event('a', 426)])).toBe(false);
	});

	it('is compared with the number that a trade has now, also where it came before the first time was noticed', () => {
		const log = logOfTrades();
		log.known.run = 'first';
		settle(log, 3);
		arrive(log, 'a', 5, { run: 'second' });
		restartRun(log.known);
		arrive(log, 'a', 5, { isRead: true });
		settle(log, 5);
		doubtNumbers(log.known, 'third', endOf(log));
		expect(isAnother(log.known, log.known.doubt!, [event('another', 5)])).toBe(true);
	});

	it('is noticed after a restart although trades of the new count were delivered before it, and tells none of them again', () => {
		const log = logOfTrades();
		log.known.run = 'first';
		for (const [id, number] of [
			['a', 1],
			['b', 2],
			['c', 3],
		] as const)
			arrive(log, id, number, { run: 'first' });
		settle(log, 3);
		arrive(log, 'another', 3, { run: 'second' });
		const cursor = { log, joinedOffset: 0, passes: () => true, isElsewhere: () => false } as unknown as Cursor;
		const known = knownTo({ ...cursor, acknowledged: endOf(log) }, (at) => at);
		doubtNumbers(known, 'second', 0);
		expect(isAnother(known, known.doubt!, [event('another', 3)])).toBe(true);
		expect(isAnother(known, known.doubt!, [event('c', 3)])).toBe(false);
		expect(knows(known, event('another', 3))).toBe(true);
	});
});
