import { ExchangeError, type ErrorCode, type Item } from '@partner-exchange/core';
import { cancel } from '../../../packages/core/src/orders/handlers/command';
import { replace } from '../../../packages/core/src/orders/handlers/replace';
import { planOf } from '../../../packages/core/src/orders/plan';

type Handling = Parameters<typeof cancel>[0];
const target = { pair_id: 'USD/NGN', order_id: 'o1' };

interface Options {
	/** The result of the command. */
	acknowledged?: unknown;
	fails?: Error;
	hasChannel?: boolean;
	/** What reads of single orders return, by ID. */
	orders?: Record<string, unknown>;
	listed?: Item[];
	isComplete?: boolean;
}

/** A cancel or a replace of the order, against a service that returns these reads. */
function command(kind: 'cancel' | 'replace', value: Options = {}) {
	const sent: unknown[] = [];
	const { acknowledged, fails, hasChannel = true, orders = {}, listed = [], isComplete = true } = value;
	const channel = {
		command: (...args: unknown[]) => {
			sent.push(args.slice(0, 2));
			return fails ? Promise.reject(fails) : Promise.resolve({ data: acknowledged });
		},
	};
	const fields = kind === 'cancel' ? target : { ...target, quantity: '20.00', price: '1390.00' };
	const plan = planOf(`order.${kind}`, fields, { intent: 'a' }, { ports: { newId: () => 'run' } });
	const handling = {
		plan,
		host: { commands: hasChannel ? () => channel : undefined },
		read: (_: string, { order_id }: { order_id: string }) => {
			const order = orders[order_id] ?? new ExchangeError('not_found', { what: 'simulated' });
			return order instanceof Error ? Promise.reject(order) : Promise.resolve(order);
		},
		list: {
			look: ({ matches }: { matches: (order: Item) => boolean }) => {
				const outcome = listed.filter(matches);
				const gap = isComplete ? undefined : 'too long';
				return Promise.resolve({ orders: outcome, complete: isComplete && outcome.length === 0, gap });
			},
		},
	} as unknown as Handling;
	const exchange = (kind === 'cancel' ? cancel : replace)(handling);
	const lookup = () => exchange.lookup({ isThorough: true, isEarlier: false });
	return { send: exchange.send, lookup, sent, plan };
}

describe('a command', () => {
	it('takes a command as done where its acknowledgement names the order it is about', async () => {
		const { send, sent, plan } = command('cancel', { acknowledged: { order_id: 'o1', status: 'cancelling' } });
		expect(await send()).toEqual({ proof: 'done', result: { order_id: 'o1', status: 'cancelling' } });
		expect(sent).toEqual([['order_cancel', plan.fields]]);
		const replaced = { original_order_id: 'o1', new_order_id: 'o2' };
		const replacing = command('replace', { acknowledged: replaced });
		expect(await replacing.send()).toEqual({
			proof: 'done',
			result: { ...replaced, client_order_id: replacing.plan.clientOrderId },
		});
	});

	it('knows the order of a command in capitals and in small letters, as databases write a UUID', async () => {
		const cancelled = command('cancel', { acknowledged: { order_id: 'O1', status: 'cancelling' } });
		expect(await cancelled.send()).toMatchObject({ proof: 'done' });
		const replaced = command('replace', { acknowledged: { original_order_id: 'O1', new_order_id: 'O2' } });
		expect(await replaced.send()).toMatchObject({ proof: 'done' });
		const terms = { status: 'accepted', quantity: '20.00', price: '1390.00', client_order_id: 'c1' };
		const [original, successor] = [
			{ ...terms, id: 'O1' },
			{ ...terms, id: 'O2', replace: { replaces_order_id: 'O1' } },
		];
		const orders = { o1: { ...original, replace: null } };
		expect(await command('replace', { orders, listed: [original] }).lookup()).toMatchObject({ is: 'absent' });
		expect(await command('replace', { orders, listed: [successor] }).lookup()).toMatchObject({
			is: 'found',
			result: { new_order_id: 'O2' },
		});
	});

	it.each<['cancel' | 'replace', unknown]>([
		['cancel', { order_id: 'o2' }],
		['cancel', {}],
		['cancel', null],
		['cancel', undefined],
		['cancel', [{ order_id: 'o1' }]],
		['replace', { original_order_id: 'o2', new_order_id: 'o3' }],
		['replace', { original_order_id: 'o1' }],
	])('leaves a %s in doubt where its acknowledgement is %j', async (kind, acknowledged) => {
		expect(await command(kind, { acknowledged }).send()).toMatchObject({
			proof: 'unknown',
			error: { code: 'malformed_response' },
		});
	});

	it.each<[ErrorCode, string]>([
		['unauthorized', 'refused'],
		['forbidden', 'refused'],
		['refused', 'refused'],
		['not_found', 'refused'],
		['invalid_input', 'refused'],
		['conflict', 'conflict'],
		['rate_limited', 'limited'],
		['unreachable', 'unsent'],
		['stream_closed', 'unsent'],
		['timeout', 'unknown'],
		['outcome_unknown', 'unknown'],
	])('classifies a command that ends with %s as %s', async (code, proof) => {
		const fails = new ExchangeError(code, { what: 'simulated' });
		expect(await command('cancel', { fails }).send()).toEqual({ proof, error: fails, isUnknown: false });
	});

	it.each([
		['CONFLICT', false],
		['VALIDATION_FAILED', false],
		['ORDER_FROZEN', true],
	])('treats the code %s as a refusal of the command; by an unknown word: %s', async (serviceCode, isUnknown) => {
		const fails = new ExchangeError('refused', { what: 'simulated', serviceCode });
		expect(await command('cancel', { fails }).send()).toMatchObject({ proof: 'refused', isUnknown });
	});

	it('refuses a command without a stream, and passes an unexpected error on', async () => {
		expect(await command('cancel', { hasChannel: false }).send()).toMatchObject({
			proof: 'refused',
			error: { code: 'not_available', message: expect.stringContaining('Give the client a stream') as string },
		});
		await expect(command('cancel', { fails: new TypeError('a fault') }).send()).rejects.toThrow('a fault');
	});
});

describe('what became of a cancel', () => {
	it.each(['pending', 'accepted', 'partially_filled', 'unheard_of', undefined])(
		'takes a cancel as not done yet while the order is %s',
		async (status) => {
			const { lookup } = command('cancel', { orders: { o1: { id: 'o1', status } } });
			expect(await lookup()).toEqual({ is: 'absent', complete: true });
		},
	);

	it.each(['cancelled', 'filled', 'rejected', 'expired'])(
		'takes a cancel as done once the order is %s',
		async (status) => {
			const { lookup } = command('cancel', { orders: { o1: { id: 'o1', status } } });
			expect(await lookup()).toEqual({ is: 'found', result: { id: 'o1', order_id: 'o1', status } });
		},
	);

	it.each(['not_found', 'refused'] as const)('proves nothing about a cancel from an order that is %s', async (code) => {
		const { lookup } = command('cancel', { orders: { o1: new ExchangeError(code, { what: 'simulated' }) } });
		expect(await lookup()).toMatchObject({
			...{ is: 'conflict', certain: false },
			error: { code: 'not_found', field: 'order_id', details: { order_id: 'o1' } },
		});
	});

	it('proves nothing about a cancel where the order cannot be read or is not there', async () => {
		const error = new ExchangeError('unavailable', { what: 'simulated' });
		expect(await command('cancel', { orders: { o1: error } }).lookup()).toEqual({
			is: 'failed',
			error,
			lasting: false,
		});
		expect(await command('cancel', { orders: { o1: [] } }).lookup()).toEqual({ is: 'absent', complete: true });
	});
});

describe('what became of a replace', () => {
	const original = { id: 'o1', client_order_id: 'old', status: 'accepted', replace: null };
	const ended = { ...original, status: 'cancelled' };
	const next = { id: 'o2', client_order_id: 'old', price: '1390', quantity: '20', status: 'accepted' };

	it('takes a replace as done where the original names its successor, or the list shows it', async () => {
		const match = { is: 'found', result: { original_order_id: 'o1', new_order_id: 'o2' } };
		const named = { ...ended, replace: { replaced_by_order_id: 'o2' } };
		expect(await command('replace', { orders: { o1: named, o2: next } }).lookup()).toEqual(match);
		expect(await command('replace', { orders: { o1: original }, listed: [next] }).lookup()).toEqual(match);
	});

	it('takes a replace as not done yet while the original is open', async () => {
		expect(await command('replace', { orders: { o1: original } }).lookup()).toEqual({ is: 'absent', complete: true });
	});

	it.each([
		['nothing took its place', {}, true],
		['not everything could be seen', { isComplete: false }, false],
		['something may have taken its place', { listed: [{ ...next, price: '1391' }] }, false],
	])('reports a replace as a conflict once the original has ended and %s', async (_, options, certain) => {
		expect(await command('replace', { orders: { o1: ended }, ...options }).lookup()).toMatchObject({
			...{ is: 'conflict', certain, mayBeDone: !certain },
			error: {
				code: 'conflict',
				what: 'The order is already cancelled',
				details: { order_id: 'o1', status: 'cancelled' },
			},
		});
	});

	it.each([
		['under a name of its own', { client_order_id: 'theirs' }, true],
		['at another price', { price: '1391' }, false],
	])('reports a replace as a conflict where another order took its place %s', async (_, row, certain) => {
		const named = { ...ended, replace: { replaced_by_order_id: 'o2' } };
		const { lookup } = command('replace', { orders: { o1: named, o2: { ...next, ...row } } });
		expect(await lookup()).toMatchObject({
			...{ is: 'conflict', certain },
			error: { what: 'The order was already replaced by o2' },
		});
	});

	it.each([
		['links', { id: 'o1', status: 'cancelled', client_order_id: 'old' }],
		['name', { id: 'o1', status: 'cancelled', replace: { replaced_by_order_id: 'o2' } }],
	])('reads the list as well where the original read alone shows no %s', async (_, alone) => {
		const listed = { ...ended, replace: { replaced_by_order_id: 'o2' } };
		const theirs = { ...next, client_order_id: 'theirs' };
		const { lookup } = command('replace', { orders: { o1: alone, o2: theirs }, listed: [listed] });
		expect(await lookup()).toMatchObject({ is: 'conflict', certain: true });
	});
});
