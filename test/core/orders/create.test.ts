import {
	createInFlightIntents,
	ExchangeError,
	TransportError,
	type CallContext,
	type Item,
	type OrderPorts,
} from '@partner-exchange/core';
import { handlerOf } from '../../../packages/core/src/orders/handlers';
import { newIntent } from '../../../packages/core/src/orders/machine/state';
import { planOf } from '../../../packages/core/src/orders/plan';

const BEGAN = Date.UTC(2026, 0, 31);
const at = (ms: number): string => new Date(BEGAN + ms).toISOString();
const fields = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.00' };
const account = {
	environment: 'sandbox',
	baseUrl: 'http://127.0.0.1:1024/v1',
	wsUrl: 'ws://127.0.0.1:1024/v1/ws',
	apiKey: 'k',
};

interface Given {
	context?: CallContext;
	/** The service's response to the order, and its status. */
	answer?: unknown;
	status?: number;
	listed?: Item[];
	gap?: string;
	/** Other intents and the orders they are known to have placed. */
	placed?: Record<string, string>;
	isTimed?: boolean;
	host?: OrderPorts;
	checks?: () => Promise<unknown>;
}

/** Places a new order against a service with these responses and lists. */
function creating({
	context = { intent: 'a' },
	answer,
	status = 200,
	listed = [],
	gap,
	isTimed = true,
	...given
}: Given = {}) {
	const plan = planOf('order.create', fields, context, { ports: { newId: () => 'run' } });
	const inFlight = createInFlightIntents();
	for (const [key, order_id] of Object.entries(given.placed ?? {}))
		inFlight.conclude(key, '', {
			outcome: { is: 'accepted', result: { order_id }, by: 'answer' },
			state: newIntent(0),
		});
	const looks: unknown[] = [];
	const facts = { rows: 1, showsFinal: true, isUnfiltered: false, gap };
	const deps = {
		...{ account, inFlight, host: given.host ?? {} },
		service: { at: () => (isTimed ? BEGAN : undefined) },
		ports: {
			clock: { now: () => BEGAN, elapsed: () => 0 },
			send: () =>
				answer instanceof Error
					? Promise.reject(answer)
					: Promise.resolve({ status, headers: {}, body: JSON.stringify({ status: 'success', data: answer }) }),
		},
		list: {
			look: ({
				matches,
				isThorough,
				filter,
			}: {
				matches: (order: Item) => boolean;
				isThorough: boolean;
				filter: object;
			}) => {
				looks.push({ isThorough, filter });
				const orders = listed.map((order) => ({ client_order_id: plan.key, ...order })).filter(matches);
				return Promise.resolve(orders.length > 0 ? { orders } : { orders, facts });
			},
		},
	};
	const handler = handlerOf(plan, deps as never, given.checks ?? (() => Promise.resolve()));
	const lookup = (isEarlier = false) => handler.lookup({ isThorough: false, isEarlier });
	return { ...handler, lookup, looks, plan };
}

describe('the answer to a new order', () => {
	it.each([
		[{ order_id: 'o1', id: 'other' }, 'o1'],
		[{ id: 'o1' }, 'o1'],
		[{ order: { order_id: 'o1' } }, 'o1'],
	])('that is %j names the order', async (answer, order_id) => {
		expect(await creating({ answer }).send()).toMatchObject({ proof: 'done', result: { order_id } });
	});

	it.each([{}, { status: 'pending' }, []])('that is %j proves nothing', async (answer) => {
		expect(await creating({ answer }).send()).toMatchObject({
			proof: 'unknown',
			error: { code: 'malformed_response', operation: 'Create Order', what: 'The answer contains no order ID' },
		});
	});

	it.each([
		[-5_001, true],
		[-5_000, undefined],
		[0, undefined],
	])('is one placed before the run where it is of %d ms', async (ms, repeated) => {
		const attempt = await creating({ answer: { order_id: 'o1', created_at: at(ms) } }).send();
		expect(attempt).toMatchObject({ proof: 'done' });
		expect('result' in attempt && attempt.result.repeated).toBe(repeated);
	});

	it('is of nobody knows when where the service or the answer shows no time', async () => {
		const answers = [
			{ answer: { order_id: 'o1', created_at: at(-9_999) }, isTimed: false },
			{ answer: { order_id: 'o1' } },
		];
		for (const given of answers)
			expect(await creating(given).send()).toMatchObject({
				result: expect.not.objectContaining({ repeated: true }) as Item,
			});
	});

	it.each([
		[400, 'refused'],
		[409, 'conflict'],
		[429, 'limited'],
		[503, 'unknown'],
	])('with the status %d is %s', async (status, proof) => {
		expect(await creating({ answer: {}, status }).send()).toMatchObject({ proof });
	});

	it('that never came proves as much as the transport does', async () => {
		expect(await creating({ answer: new TransportError('refused', 'never') }).send()).toMatchObject({
			proof: 'unsent',
		});
		expect(await creating({ answer: new TransportError('reset', 'perhaps') }).send()).toMatchObject({
			proof: 'unknown',
		});
	});
});

describe('what the list shows of a new order', () => {
	const mine = { id: 'o1', ...fields };

	it('is the order, with others that came to be beside it', async () => {
		const { lookup, looks } = creating({ listed: [mine, { ...mine, id: 'o2' }, fields] });
		const found = await lookup();
		expect(found).toMatchObject({ is: 'found', result: { order_id: 'o1', duplicate_order_ids: ['o2'] } });
		expect(looks).toEqual([{ isThorough: false, filter: { pair_id: 'USD/NGN' } }]);
		expect(await creating({ listed: [mine] }).lookup()).toMatchObject({
			result: expect.not.objectContaining({ duplicate_order_ids: expect.anything() as unknown }) as Item,
		});
	});

	it('is nothing, or nothing as far as could be seen', async () => {
		expect(await creating().lookup()).toEqual({ is: 'absent', complete: true });
		expect(await creating({ gap: 'the list is too long' }).lookup()).toMatchObject({
			...{ is: 'absent', complete: false },
			error: { code: 'limit_reached', what: expect.stringMatching(/exists: the list is too long$/) as string },
		});
	});

	it.each<[string, Given]>([
		['asks for something else', { listed: [{ ...mine, price: '1500.01' }] }],
		['replaced another', { listed: [{ ...mine, replace: { replaces_order_id: 'o0' } }] }],
		['belongs to another intent', { listed: [mine], placed: { other: 'o1' } }],
		['is older than the run', { listed: [{ ...mine, created_at: at(-5_001) }] }],
	])('is a conflict with one that %s', async (_, given) => {
		const { lookup, plan } = creating(given);
		expect(await lookup()).toMatchObject({
			...{ is: 'conflict', certain: false },
			error: { code: 'conflict', field: 'client_order_id', details: { client_order_id: plan.key, order_id: 'o1' } },
		});
	});

	it.each<[string, Given, boolean]>([
		['shows no link', { listed: [{ ...mine, replace: null }] }, false],
		['is known to be of this intent', { listed: [mine], placed: { [creating().plan.key]: 'o1' } }, false],
		['is as old as the run', { listed: [{ ...mine, created_at: at(-5_000) }] }, false],
		['is older, and an earlier run may have placed it', { listed: [{ ...mine, created_at: at(-9_999) }] }, true],
	])('is the order where it %s', async (_, given, isEarlier) => {
		expect(await creating(given).lookup(isEarlier)).toMatchObject({ is: 'found' });
	});

	it('may be of any age under a name that holds beyond the run', async () => {
		const context = { options: { business_key: 'invoice 7' } };
		const listed = [{ ...mine, created_at: at(-9_999) }];
		expect(await creating({ context, listed }).lookup()).toMatchObject({ is: 'found' });
	});
});

describe('an order write on its way', () => {
	const order = {
		key: creating().plan.key,
		kind: 'create',
		label: 'Create Order',
		quantity: '10.00',
		price: '1500.00',
	};

	/** The reservations made with an account's limits, and how to stop it. */
	function limited() {
		const admitted: unknown[] = [];
		let stopped: Error | undefined;
		const limits = {
			admit: (one: unknown) => void admitted.push(one),
			assertRunning: () => {
				if (stopped) throw stopped;
			},
		};
		return { limits: limits as never, admitted, stop: (error: Error) => void (stopped = error) };
	}

	it('is counted once the guards and the checks let it pass, and not where it is only shown', async () => {
		const { limits, admitted } = limited();
		await creating({ host: { limits } }).check();
		expect(admitted).toEqual([order]);
		await creating({ host: { limits }, context: { options: { dry_run: true } } }).check();
		await expect(
			creating({ host: { limits }, checks: () => Promise.reject(new Error('no funds')) }).check(),
		).rejects.toThrow('no funds');
		await expect(
			creating({ host: { limits }, context: { options: { max_quantity: '1' } } }).check(),
		).rejects.toMatchObject({ field: 'quantity' });
		expect(admitted).toHaveLength(1);
		await creating().check();
	});

	it('is refused, and not sent, while the account is stopped', async () => {
		const { limits, stop } = limited();
		const answer = { order_id: 'o1' };
		expect(await creating({ host: { limits }, answer }).send()).toMatchObject({ proof: 'done' });
		const error = new ExchangeError('not_available', { what: 'stopped' });
		stop(error);
		expect(await creating({ host: { limits }, answer }).send()).toEqual({ proof: 'refused', error });
		stop(new TypeError('a fault'));
		await expect(creating({ host: { limits }, answer }).send()).rejects.toThrow('a fault');
	});

	it('is written down with all that goes on the wire before it goes', async () => {
		const entries: unknown[] = [];
		const journal = { record: (entry: unknown) => (entries.push(entry), Promise.resolve()) } as never;
		const { record, plan } = creating({ host: { journal } });
		await record();
		expect(entries).toEqual([{ key: plan.key, operation: 'order.create', fields: plan.fields, at: BEGAN }]);
	});
});
