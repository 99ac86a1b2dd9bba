import { ExchangeError, TransportError, type Item } from '@partner-exchange/core';
import { CLOCKS_DIFFER_MS } from '../../../packages/core/src/orders/handlers/create';
import { termsDigest } from '../../../packages/core/src/orders/identity';

import { at, BEGAN, creating, fields, type PlacingOptions } from './creating';

describe('the answer to a new order', () => {
	it.each([
		[{ order_id: 'o1', id: 'other' }, 'o1'],
		[{ id: 'o1' }, 'o1'],
		[{ order: { order_id: 'o1' } }, 'o1'],
	])('reads the order ID from the answer %j', async (answer, order_id) => {
		expect(await creating({ answer }).send()).toMatchObject({ proof: 'done', result: { order_id } });
	});

	it.each([{}, { status: 'pending' }, [], { order_id: '' }, { id: '', order_id: '' }])(
		'takes the answer %j to a new order as no proof',
		async (answer) => {
			expect(await creating({ answer }).send()).toMatchObject({
				proof: 'unknown',
				error: { code: 'malformed_response', operation: 'Create Order', what: 'The answer contains no order ID' },
			});
		},
	);

	it.each([
		['another intent', { order_id: 'o1', client_order_id: 'of another' }],
		['another pair', { order_id: 'o1', pair_id: 'EUR/NGN' }],
		['other terms', { order_id: 'o1', quantity: '11.00' }],
		['another time in force', { order_id: 'o1', time_in_force: 'IOC' }],
	])('takes an answer that names an order of %s as no proof', async (_, answer) => {
		const context = { intent: 'a' };
		const input = { ...fields, time_in_force: 'GTC' };
		expect(await creating({ context, input, answer }).send()).toMatchObject({
			proof: 'unknown',
			error: { what: 'The answer names another order than the one that was sent' },
		});
	});

	it('takes an answer that names the order of another intent of this process as no proof', async () => {
		const options = { answer: { order_id: 'o1' }, placed: { other: 'o1' } };
		expect(await creating(options).send()).toMatchObject({ proof: 'unknown' });
	});

	it.each([
		[-CLOCKS_DIFFER_MS - 1, true],
		[-CLOCKS_DIFFER_MS, undefined],
		[0, undefined],
	])(
		'marks an order created at %d ms from the start of the run as repeated only if it is older than clocks differ',
		async (ms, repeated) => {
			const attempt = await creating({ answer: { order_id: 'o1', created_at: at(ms) } }).send();
			expect(attempt).toMatchObject({ proof: 'done' });
			expect('result' in attempt && attempt.result.repeated).toBe(repeated);
		},
	);

	it('marks no order as repeated where the service or the answer shows no time', async () => {
		const answers = [
			{ answer: { order_id: 'o1', created_at: at(-2 * CLOCKS_DIFFER_MS) }, isTimed: false },
			{ answer: { order_id: 'o1' } },
		];
		for (const options of answers)
			expect(await creating(options).send()).toMatchObject({
				result: expect.not.objectContaining({ repeated: true }) as Item,
			});
	});

	it.each([
		[400, 'refused'],
		[409, 'conflict'],
		[429, 'limited'],
		[503, 'unknown'],
	])('classifies the answer %d to a new order as %s', async (status, proof) => {
		expect(await creating({ answer: {}, status }).send()).toMatchObject({ proof });
	});

	it('takes what the transport proves where no answer to a new order came', async () => {
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

	it('finds the new order in the list, and other orders under its name beside it', async () => {
		const { lookup, looks } = creating({ listed: [mine, { ...mine, id: 'o2' }, fields] });
		const match = await lookup();
		expect(match).toMatchObject({ is: 'found', result: { order_id: 'o1', duplicate_order_ids: ['o2'] } });
		expect(looks).toEqual([{ isThorough: false, since: BEGAN - CLOCKS_DIFFER_MS }]);
		expect(await creating({ listed: [mine] }).lookup()).toMatchObject({
			result: expect.not.objectContaining({ duplicate_order_ids: expect.anything() as unknown }) as Item,
		});
	});

	it('reports no order in the list, and how far the list could be seen', async () => {
		expect(await creating().lookup()).toEqual({ is: 'absent', complete: true });
		expect(await creating({ gap: 'the list is too long' }).lookup()).toMatchObject({
			...{ is: 'absent', complete: false },
			error: { code: 'limit_reached', what: expect.stringMatching(/exists: the list is too long$/) as string },
		});
	});

	it.each<[string, PlacingOptions]>([
		['asks for something else', { listed: [{ ...mine, price: '1500.01' }] }],
		['replaced another', { listed: [{ ...mine, replace: { replaces_order_id: 'o0' } }] }],
		['belongs to another intent', { listed: [mine], placed: { other: 'o1' } }],
		['is older than the run', { listed: [{ ...mine, created_at: at(-CLOCKS_DIFFER_MS - 1) }] }],
	])('reports a conflict with an order under the same name that %s', async (_, value) => {
		const { lookup, plan } = creating(value);
		expect(await lookup()).toMatchObject({
			...{ is: 'conflict', certain: false },
			error: { code: 'conflict', field: 'client_order_id', details: { client_order_id: plan.key, order_id: 'o1' } },
		});
	});

	it.each([
		['with other values', { ...mine, price: '1500.01' }],
		['with other values', { ...mine, quantity: '11.00' }],
		['and these values', { ...mine, created_at: at(-CLOCKS_DIFFER_MS - 1) }],
	])('says that an order under the same name exists %s', async (values, order) => {
		const lookup = await creating({ listed: [order] }).lookup();
		expect('error' in lookup && lookup.error?.what).toContain(values);
	});

	it('counts under the limits what an answer or the list shows of the new order, and nothing else', async () => {
		const rows: unknown[] = [];
		const limits = { assertRunning: () => undefined, orderShown: (order: Item) => void rows.push(order.order_id) };
		const host = { limits } as unknown as PlacingOptions['host'];
		await creating({ host, answer: { order_id: 'o1' } }).send();
		await creating({ host, listed: [{ ...mine, id: 'o2' }] }).lookup();
		await creating({ host, listed: [{ ...mine, price: '1' }] }).lookup();
		await creating({ host }).lookup();
		await creating({ host, answer: {}, status: 503 }).send();
		expect(rows).toEqual(['o1', 'o2']);
	});

	it.each<[string, PlacingOptions, boolean]>([
		['shows no link', { listed: [{ ...mine, replace: null }] }, false],
		['is known to be of this intent', { listed: [mine], placed: { [creating().plan.key]: 'o1' } }, false],
		['is as old as the run', { listed: [{ ...mine, created_at: at(-CLOCKS_DIFFER_MS) }] }, false],
		[
			'is older, and an earlier run may have placed it',
			{ listed: [{ ...mine, created_at: at(-2 * CLOCKS_DIFFER_MS) }] },
			true,
		],
	])('finds the new order under its name where it %s', async (_, value, isEarlier) => {
		expect(await creating(value).lookup(isEarlier)).toMatchObject({ is: 'found' });
	});

	it('leaves a new order unknown in a list without client order IDs that shows an order of the same values', async () => {
		const nameless = { ...mine, client_order_id: undefined };
		expect(await creating({ listed: [nameless], hidesNames: true }).lookup()).toMatchObject({
			...{ is: 'absent', complete: false },
			error: { what: expect.stringContaining('without its whole client order ID') as string },
		});
		const other = { ...nameless, quantity: '11.00' };
		expect(await creating({ listed: [other], hidesNames: true }).lookup()).toMatchObject({ complete: true });
	});

	const dayOld = at(-25 * 3_600_000);
	const key = creating().plan.key;
	it.each<[string, Item, boolean]>([
		['an empty name', { client_order_id: '' }, false],
		['no name', { client_order_id: null }, false],
		['the first 16 characters of its name', { client_order_id: key.slice(0, 16) }, false],
		['the first 12 of them and spaces', { client_order_id: `${key.slice(0, 12)}    ` }, false],
		['a few characters of its name', { client_order_id: key.slice(0, 5) }, true],
		['another name', { client_order_id: 'of another order' }, true],
		['no name and another price', { client_order_id: null, price: '1' }, true],
		['no name, placed before this run', { client_order_id: null, created_at: dayOld }, true],
	])('denies the new order beside one that shows %s only where that may not be it: %j', async (_, more, complete) => {
		const listed = [{ ...mine, ...more }];
		expect(await creating({ listed }).lookup()).toMatchObject({ is: 'absent', complete });
	});

	it('denies no order of a business key beside one of the last day that shows no name, and of any day where none do', async () => {
		const context = { options: { business_key: 'invoice 7' } };
		const [hourOld, older] = [at(-3_600_000), dayOld].map((created_at) => [
			{ ...mine, client_order_id: null, created_at },
		]);
		expect(await creating({ context, listed: hourOld }).lookup()).toMatchObject({ complete: false });
		expect(await creating({ context, listed: older }).lookup()).toMatchObject({ complete: true });
		expect(await creating({ context, listed: older, hidesNames: true }).lookup()).toMatchObject({ complete: false });
	});

	it('finds the new order under its name where the service fills it up with spaces, and where it shows nought as its quantity', async () => {
		const listed = [{ ...mine, client_order_id: ` ${key}  `, quantity: '0.00' }];
		expect(await creating({ listed }).lookup()).toMatchObject({ is: 'found' });
	});

	it('finds the new order under its name in upper case or behind a prefix', async () => {
		const { plan } = creating();
		for (const client_order_id of [plan.key.toUpperCase(), `run 7-${plan.key}`, `${plan.key}_run 7`])
			expect(await creating({ listed: [{ ...mine, client_order_id }] }).lookup()).toMatchObject({ is: 'found' });
		expect(await creating({ listed: [{ ...mine, client_order_id: `${plan.key}-run 7` }] }).lookup()).toMatchObject({
			is: 'absent',
		});
	});

	it.each<[string, (key: string) => string]>([
		['cut to 32 characters', (key) => key.slice(0, 32)],
		['cut to 20 characters', (key) => key.slice(0, 20)],
		['cut behind a prefix', (key) => `run 7-${key}`.slice(0, 36)],
		['without dashes', (key) => key.replaceAll('-', '')],
		['behind a word of the service', (key) => `acc7:${key}`],
	])('finds the new order under its name %s, and no other order', async (_, form) => {
		const { plan } = creating();
		const listed = (key: string) => [{ ...mine, client_order_id: form(key) }];
		expect(await creating({ listed: listed(plan.key) }).lookup()).toMatchObject({ is: 'found' });
		const other = `${plan.key.startsWith('0') ? '1' : '0'}${plan.key.slice(1)}`;
		expect(await creating({ listed: listed(other) }).lookup()).toMatchObject({ is: 'absent' });
	});

	it('treats an order with another time in force as another order, unless its word is unknown', async () => {
		const input = { ...fields, time_in_force: 'IOC' };
		expect(await creating({ input, listed: [{ ...mine, time_in_force: 'GTC' }] }).lookup()).toMatchObject({
			is: 'conflict',
		});
		for (const time_in_force of ['ioc', 'immediate', undefined])
			expect(await creating({ input, listed: [{ ...mine, time_in_force }] }).lookup()).toMatchObject({ is: 'found' });
	});

	it('finds the order of the same values under a client order ID that is used again', async () => {
		const input = { ...fields, client_order_id: 'invoice 7' };
		const listed = [{ ...mine, client_order_id: 'invoice 7' }];
		expect(await creating({ input, listed, placed: { other: 'o1' } }).lookup()).toMatchObject({ is: 'found' });
	});

	it('accepts an order of any age under a name that holds beyond the run', async () => {
		const context = { options: { business_key: 'invoice 7' } };
		const listed = [{ ...mine, created_at: at(-2 * CLOCKS_DIFFER_MS) }];
		expect(await creating({ context, listed }).lookup()).toMatchObject({ is: 'found' });
	});
});

describe('an order write on its way', () => {
	const order = {
		key: `${creating().plan.key} ${termsDigest('order.create', creating().plan.fields)}`,
		kind: 'create',
		label: 'Create Order',
		pair_id: 'USD/NGN',
		quantity: '10.00',
		price: '1500.00',
		client_order_id: creating().plan.key,
	};

	/** The reservations made with an account's limits, and how to stop it. */
	function limited() {
		const admitted: unknown[] = [];
		const rows: unknown[] = [];
		let stopped: Error | undefined;
		const limits = {
			admit: (entry: unknown) => Promise.resolve(void admitted.push(entry)),
			orderShown: (...shownAs: unknown[]) => void rows.push(shownAs),
			assertRunning: () => {
				if (stopped) throw stopped;
			},
		};
		return { limits: limits as never, admitted, rows, stop: (error: Error) => void (stopped = error) };
	}

	it('counts a new order once guards and checks let it pass, and never in a dry run', async () => {
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

	it('refuses a new order and sends nothing while the account is stopped', async () => {
		const { limits, stop, rows } = limited();
		const answer = { order_id: 'o1' };
		expect(await creating({ host: { limits }, answer }).send()).toMatchObject({ proof: 'done' });
		expect(rows).toEqual([[expect.objectContaining(answer), order.key]]);
		const error = new ExchangeError('not_available', { what: 'stopped' });
		stop(error);
		expect(await creating({ host: { limits }, answer }).send()).toEqual({ proof: 'refused', error });
		stop(new TypeError('a fault'));
		await expect(creating({ host: { limits }, answer }).send()).rejects.toThrow('a fault');
	});

	it('writes a new order with its exact request to the journal before it sends it', async () => {
		const entries: unknown[] = [];
		const journal = { record: (entry: unknown) => (entries.push(entry), Promise.resolve()) } as never;
		const { record, plan } = creating({ host: { journal } });
		await record();
		expect(entries).toEqual([
			{
				...{ key: plan.key, operation: 'order.create', fields: plan.fields, at: BEGAN },
				account: {
					address: expect.stringMatching(/^http:/) as string,
					key: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
				},
			},
		]);
	});
});
