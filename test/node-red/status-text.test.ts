import { type Progress, ExchangeError } from '@partner-exchange/core';
import { doneStatus, stepText } from '../../packages/node-red/src/action/status-text';
import { failureOf } from '../../packages/node-red/src/host/failure';

const NOON = new Date(2026, 0, 31, 12, 0, 0).getTime();

const step = (options: Partial<Progress>): string =>
	stepText({ doing: 'sending', attempts: 1, attemptsMax: 6, lookups: 0, limitMs: 105_000, ...options }, NOON);

describe('the status of a write under way', () => {
	it('the status of a write says what is tried, how often, until when at most, and why again', () => {
		expect(step({ attempts: 3, reason: 'unreachable' })).toBe('sending · attempt 3/6 · until 12:01:45 · unreachable');
		expect(step({ doing: 'looking', lookups: 2, reason: 'timeout' })).toBe(
			'looking · lookup 2 · until 12:01:45 · timeout',
		);
		expect(step({ doing: 'waiting', limitMs: 60_000 })).toBe('waiting · until 12:01:00');
	});

	it('the status of a write is short while nothing is wrong', () => {
		expect(step({})).toBe('sending');
	});
});

describe('the status after a call', () => {
	const order = { pair_id: 'USD/NGN', side: 'buy', quantity: '10', status: 'filled', filled_quantity: '10.00' };

	it.each([
		['bought 10.00 USD', order],
		['sold 10.00 USD', { ...order, side: 'sell' }],
		['bought 4/10 USD', { ...order, status: 'partially_filled', filled_quantity: '4' }],
		['accepted', { ...order, status: 'accepted', filled_quantity: '0.00' }],
		['partially filled', { status: 'partially_filled' }],
		['cancelling', { status: null, acknowledgement: 'cancelling' }],
		['bought 10.00 USD · done before', { ...order, repeated: true }],
		['dry run', { ...order, dry_run: true }],
		['nothing to cancel', { orders: [], still_open: 0, problem: null }],
		[
			'2 cancelled',
			{
				orders: [{ outcome: 'cancelled' }, { outcome: 'filled' }, { outcome: 'cancelled' }],
				still_open: 0,
				problem: null,
			},
		],
		['3 results', [{}, {}, {}]],
		['1 result', [{}]],
		['close', { account_name: 'Ada Obi', name_match: 'close' }],
		['done', { deleted: true }],
		['done', 'text'],
		['done', null],
	])('the status after a call is %s', (text, answer) => {
		expect(doneStatus(answer)).toEqual({ fill: 'green', shape: 'dot', text });
	});

	const late = { until: 'final', reached: false, ended: 'time_limit' };
	it.each([
		['accepted · time limit', { ...order, status: 'accepted', filled_quantity: '0.00', wait: late }],
		['bought 4/10 USD · time limit', { ...order, status: 'partially_filled', filled_quantity: '4', wait: late }],
		['pending · time limit', { status: 'pending', transaction: { wait: { ...late, until: 'settled' } } }],
		['expired', { ...order, status: 'expired', filled_quantity: '0', wait: { ...late, ended: 'expired' } }],
		['rejected', { ...order, status: 'rejected', filled_quantity: '0', rejection: 'no funds' }],
		['cancelled', { ...order, status: 'cancelled', filled_quantity: '0.00', advice: 'It was replaced by order o2' }],
		['1 still open', { orders: [{}], still_open: 1, problem: '1 of 1 orders may still be open' }],
		['done', { fillable_quantity: '0', problems: ['The book shows nothing of it'] }],
		['different', { account_name: 'Ada Obi', name_match: 'different' }],
		['unknown', { orders: [], still_open: 0, problem: 'The list could not be read' }],
		['bought 4/10 USD · cancelled', { ...order, status: 'cancelled', filled_quantity: '4', advice: 'Place at most 6' }],
		['failed', { status: 'pending', transaction: { status: 'failed', wait: { reached: true, ended: 'reached' } } }],
	])('the status of what came to nothing, or not as far as was waited for, is yellow and says %s', (text, answer) => {
		expect(doneStatus(answer)).toEqual({ fill: 'yellow', shape: 'dot', text });
	});

	it('the status of what may still be rejected, and was not waited for, is grey', () => {
		expect(doneStatus({ ...order, status: 'pending', filled_quantity: null })).toMatchObject({ fill: 'grey' });
	});

	const said = (answer: object): string | undefined => doneStatus(answer).text;

	it('the status after a call repeats no long or strange text of a service', () => {
		expect(said({ status: 'x'.repeat(500) })).toBe('done');
		expect(said({ status: '<b>filled</b>' })).toBe('done');
		expect(said({ ...order, filled_quantity: '1'.repeat(50) })).toBe('filled');
		expect(said({ ...order, pair_id: '<b>/NGN' })).toBe('bought 10.00');
	});
});

describe('the error of a node', () => {
	const { cause } = failureOf(new ExchangeError('invalid_input', { what: 'Price is missing', field: 'price' }));

	it('an error shows its details where Node-RED makes a text of it, as in the debug sidebar', () => {
		expect(JSON.parse(String(cause))).toEqual(cause);
		expect(cause).toMatchObject({ code: 'invalid_input', field: 'price' });
	});
});
