import type { OperationId } from '@partner-exchange/core/catalogue';
import {
	createAccountLimits,
	createClient,
	createAccountMemory,
	ExchangeError,
	TransportError,
	type CallContext,
	type AccountMemory,
	type OrderPorts,
	type SendHttp,
} from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { newIntent } from '../../../packages/core/src/orders/machine/state';
import { standing } from '../../../packages/core/src/orders/standing';
import { errorOf } from '../../support/placing';
import { CANARY, drop, failure, quickClock, startWire, success, type Answer } from '../../support/wire';
import { forEach } from '../../support/opened';

/** A memory that has room for no further intent. */
function full(): AccountMemory {
	const memory = createAccountMemory(0);
	memory.restore({ key: 'unknown', digest: 'other' }, newIntent(0));
	return memory;
}

const CREATE = 'POST /partner/exchange/orders';
const LIST = 'GET /partner/exchange/orders';
const ORDER = 'GET /partner/exchange/orders/o1';
const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' };
const market = { ...{ pair_id: 'USD/NGN', min_quantity: '1.00', quantity_step: '1.00', price_step: '1.00' } };
const placed = success({ order_id: 'o1', status: 'pending' });
const soon: CallContext = { options: { unknown_after_seconds: 20 } };

interface Cause {
	/** What the service answers to the order. */
	answers?: Answer[];
	/** What comes in the way of the answer. */
	fault?: TransportError;
	/** How the service shows the order that it took. */
	shown?: Record<string, unknown>;
	input?: Record<string, unknown>;
	context?: CallContext;
	host?: OrderPorts;
	list?: Answer;
	key?: string;
}

type Standing = 'yes' | 'no' | 'unknown';

function stopped() {
	const limits = createAccountLimits(quickClock());
	limits.stop('stopped by hand');
	return limits;
}

const brokenJournal = {
	open: () => Promise.reject(new Error('disk')),
	record: () => Promise.reject(new Error('disk')),
	close: () => Promise.resolve(),
};

/** Every way in which placing an order can fail. */
const causes: readonly [string, Standing, Cause][] = [
	['a field is missing', 'no', { input: { ...order, quantity: undefined } }],
	['a field is unknown', 'no', { input: { ...order, amount: '1' } }],
	['an option is unknown', 'no', { context: { options: { no_such: true } as never } }],
	['a setting of the call is unknown', 'no', { context: { no_such: true } as never }],
	['a value breaks a rule of the market', 'no', { input: { ...order, quantity: '10.50' } }],
	['a value holds the key', 'no', { context: { options: { business_key: CANARY } } }],
	[
		'it is given two names',
		'no',
		{ input: { ...order, idempotency_key: 'a' }, context: { options: { business_key: 'b' } } },
	],
	['the account has no key', 'no', { key: '' }],
	['the balance is too low', 'no', { context: { options: { check_balance: true } } }],
	['a limit of the node forbids it', 'no', { context: { options: { max_quantity: '9' } } }],
	[
		'a limit of the account forbids it',
		'no',
		{ host: { limits: createAccountLimits(quickClock(), { valuePerDay: '1' }) } },
	],
	['the account is stopped', 'no', { host: { limits: stopped() } }],
	['the journal cannot be written', 'no', { host: { journal: brokenJournal } }],
	['nothing more can be remembered', 'no', { host: { memory: full() } }],
	['its caller stopped it', 'no', { context: { signal: AbortSignal.abort() } }],
	[
		'the time of its caller is over',
		'no',
		{ context: { signal: AbortSignal.abort(new DOMException('', 'TimeoutError')) } },
	],
	['nothing answers', 'no', { fault: new TransportError('refused', 'never') }],
	['the service redirects', 'unknown', { answers: [failure(302, '', { location: 'https://elsewhere.example' })] }],
	...[400, 401, 403, 404, 409, 410, 422, 429].map((status): [string, Standing, Cause] => [
		`the service answers ${status}`,
		'no',
		{ answers: [failure(status, { message: 'no' })] },
	]),
	...[408, 500, 502, 503, 504].map((status): [string, Standing, Cause] => [
		`the service answers ${status} until the end`,
		'unknown',
		{ answers: [failure(status, {})], context: soon },
	]),
	['the answer is no order', 'unknown', { answers: [success({ hello: 'world' })], context: soon }],
	['the connection breaks', 'unknown', { answers: [drop], context: soon }],
	['no answer comes in time', 'unknown', { fault: new TransportError('timeout', 'perhaps'), context: soon }],
	[
		'it cannot be looked for before',
		'unknown',
		{ context: { options: { business_key: 'a' } }, list: failure(500, {}) },
	],
	['an earlier run may have sent it', 'unknown', { input: { ...order, side: 'bye' }, context: { repeated: true } }],
	[
		'the service takes and rejects it',
		'no',
		{ answers: [placed], shown: { status: 'rejected' }, context: { options: { wait: 'accepted' } } },
	],
	[
		'it is over without a fill',
		'yes',
		{
			answers: [placed],
			shown: { status: 'cancelled', filled_quantity: '0' },
			context: { options: { wait: 'final', fail_when: 'unfilled' } },
		},
	],
	[
		'it is not final in time',
		'yes',
		{
			answers: [placed],
			shown: { status: 'accepted', filled_quantity: '0' },
			context: { options: { wait: 'final', wait_seconds: 1, fail_when: 'time_limit' } },
		},
	],
];

describe('an order that fails says in one of three ways what became of it', () => {
	const wire = forEach(() => startWire());

	beforeEach(async () => {
		wire.on('GET /partner/exchange/markets', success({ markets: [market] }));
		wire.on('GET /partner/wallets/balances/overview', success({ balances: [{ currency: 'NGN', available: '1.00' }] }));
		wire.on('GET /partner/exchange/ticker', success({ pair_id: 'USD/NGN', last_price: '1500.00' }));
	});

	function clientFor({ answers = [], fault, shown, host = {}, list, key = CANARY }: Cause) {
		wire.on(CREATE, ...(answers.length > 0 ? answers : [failure(500, {})]));
		wire.on(LIST, list ?? success({ count: 0, orders: [] }));
		wire.on(ORDER, success({ id: 'o1', ...order, ...shown }));
		const ports = { ...nodePorts(), clock: quickClock(), random: () => 0.999 };
		const send: SendHttp = (request) =>
			fault && request.method === 'POST' ? Promise.reject(fault) : ports.send(request);
		return createClient({ ...wire.account, apiKey: key }, { ...ports, send }, host);
	}

	it.each(causes)('says with an error where %s whether an order was placed: %s', async (_, done, cause) => {
		const { input = order, context = {} } = cause;
		const opened = () => clientFor(cause).call<OperationId>('order.create', input, context);
		const error = await errorOf(Promise.resolve().then(opened));
		expect({ said: saidIn(error), done: error.done }).toEqual({ said: [standing.create[done]], done });
		if (done === 'unknown' || done === 'yes') expect(error.message).not.toMatch(/nothing was sent/);
		expect(error.toJSON()).toMatchObject({ done });
	});

	it.each(['order.cancel', 'order.replace'] as const)('says of %s whether it was done', async (id) => {
		const input = {
			pair_id: 'USD/NGN',
			order_id: 'o1',
			...(id === 'order.replace' ? { quantity: '5', price: '1490' } : {}),
		};
		const options = id === 'order.replace' ? { check_market: false } : {};
		const words = standing[id === 'order.cancel' ? 'cancel' : 'replace'];
		const none = await errorOf(clientFor({}).call(id, input, { options }));
		expect(none).toMatchObject({ code: 'not_available', done: 'no' });
		expect(none.message).toContain(words.no);
		const commands = () => ({
			command: () => Promise.reject(new ExchangeError('timeout', { what: 'No answer came' })),
		});
		const silent = clientFor({ host: { commands: commands }, shown: { status: 'accepted' } });
		const lost = await errorOf(silent.call(id, input, { options: { ...options, unknown_after_seconds: 20 } }));
		expect(lost).toMatchObject({ code: 'outcome_unknown', done: 'unknown' });
		expect(lost.message.toLowerCase()).toContain(words.unknown);
	});

	it('says nothing of orders where something else failed', async () => {
		wire.on('GET /partner/wallets/balances/overview', failure(429, ''));
		const error = await errorOf(clientFor({}).call('wallet.balances', {}));
		expect(error.message).toBe(
			'Get Balances (wallet.balances): Too many requests, tried 5 times. Wait a minute before trying again.',
		);
		expect(error.done).toBeUndefined();
	});
});

/** Which of the three an error says, in the order of the table. */
const saidIn = ({ message }: ExchangeError): string[] =>
	[...message.toLowerCase().matchAll(new RegExp(`(whether )?(${Object.values(standing.create).join('|')})`, 'g'))]
		.filter(([, whether]) => whether === undefined)
		.map(([, , words]) => words!);
