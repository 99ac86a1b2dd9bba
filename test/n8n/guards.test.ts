import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import type { IDataObject } from 'n8n-workflow';
import { operationOf, optionOf } from '@partner-exchange/core/catalogue';
import { formOperations } from '../../nodes/shared/form/names';
import { anything, limitOrder, pick, run } from './exchange';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => {
	sandbox.reset();
	sandbox.requests.splice(0);
});
afterAll(async () => await sandbox.close());

const guards = ['max_quantity', 'max_notional', 'allowed_pairs', 'allowed_sides', 'dry_run', 'business_key'];
const refused = async (parameters: IDataObject, field: string, item: IDataObject = {}): Promise<void> => {
	const { error } = await run(sandbox, { ...limitOrder, ...parameters }, { items: [item] });
	expect(error).toMatchObject({ context: { data: { code: 'invalid_input', field } } });
	expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
};

const chosen = formOperations.flatMap(({ id, ...place }) =>
	(operationOf(id).options ?? []).map((option) => {
		const { kind, beside = [] } = optionOf(operationOf(id), option);
		const wrong = kind === 'boolean' ? ['yes', 1] : [];
		const others = operationOf(id).options!.filter((other) => beside.includes(other));
		const set = Object.fromEntries(others.map((other) => [other, other === 'wait' ? 'final' : true]));
		return { ...place, option, set, wrong: ['', null, ...wrong] };
	}),
);

describe('an option of any operation', () => {
	it.each(chosen)(
		'refuses a value that is none of the choices of an option: $resource $operation, $option',
		async (each) => {
			const { resource, operation, option, set, wrong } = each;
			const parameters = { ...anything, resource, operation, options: { ...set, [option]: '={{ $json.given }}' } };
			const given = [{}, ...wrong.map((value) => ({ given: value }))];
			const settings = { onError: 'continueRegularOutput' };
			const { items } = await run(sandbox, parameters, { items: given, settings });
			const refusal = { details: { code: 'invalid_input', field: option } };
			expect(items.map(({ json }) => json)).toMatchObject(given.map(() => refusal));
			expect(sandbox.requests).toEqual([]);
		},
	);
});

describe('a guard that is set', () => {
	it.each(guards)('refuses a guard by name whose expression gives nothing: %s', async (guard) => {
		await refused({ options: { [guard]: '={{ $json.missing }}' } }, guard);
		await refused({ options: { [guard]: '={{ $json.empty }}' } }, guard, { empty: '' });
		await refused({ options: { [guard]: '={{ $json.nothing }}' } }, guard, { nothing: null });
	});

	it.each(['yes', 'TRUE', 1, 0, 'no', [], {}])('refuses %j as a yes or no of a guard', async (options) => {
		for (const option of ['dry_run', 'check_balance', 'check_market'])
			await refused({ options: { [option]: '={{ $json.given }}' } }, option, { given: options });
	});

	it.each(['={{ true }}', '={{ $json.given }}', "={{ $fromAI('production') }}", 'yes', 1])(
		'accepts Allow Production only from the form: refuses %j, also in the sandbox',
		async (production) => await refused({ options: { production } }, 'production', { given: true }),
	);

	it('says that no order was placed where the form alone is refused', async () => {
		const { error } = await run(sandbox, { ...limitOrder, options: { production: '={{ true }}' } });
		expect(error).toMatchObject({ context: { data: { done: 'no' } } });
		expect(error!['description']).toMatch(/^Set it to a fixed value in the form; no order was placed\./);
	});

	it.each(['client_order_id', 'idempotency_key', 'time_in_force'])(
		'refuses a field among the options whose expression gives nothing: %s',
		async (field) => await refused({ options: { [field]: '={{ $json.missing }}' } }, field),
	);

	it('refuses an optional field that stands open when its expression finds nothing', async () => {
		const update = { resource: 'recipient', operation: 'update', recipient_id: pick('x', 'id'), body: '{}' };
		await refused({ ...update, label: '={{ $json.missing }}' }, 'label');
	});

	it.each(['заказ-1', '注文', 'naïve'])(
		'refuses the idempotency key %j, which a header would change',
		async (value) => {
			await refused({ options: { idempotency_key: value } }, 'idempotency_key');
		},
	);

	it('keeps business keys beyond Latin-1 apart', async () => {
		const placed: unknown[] = [];
		for (const business_key of ['заказ-1', 'заказ-2', '注文-1', '注文-2', 'naïve', 'naive']) {
			const { items } = await run(sandbox, { ...limitOrder, options: { business_key } });
			placed.push(items[0]!.json['order_id']);
		}
		expect(new Set(placed).size).toBe(6);
	});

	it('lists nothing where the expression of a filter gives nothing', async () => {
		const filters = { status: '={{ $json.missing }}' };
		const { error } = await run(sandbox, { resource: 'order', operation: 'getAll', returnAll: true, filters });
		expect(error).toMatchObject({ context: { data: { code: 'invalid_input', field: 'status' } } });
		expect(sandbox.requests).toEqual([]);
	});

	it.each<[string, unknown]>([
		['returnAll', 'yes'],
		['returnAll', ''],
		['limit', true],
		['limit', ''],
		['limit', '1e3'],
	])('refuses %s of %j', async (name, value) => {
		const { error } = await run(
			sandbox,
			{ resource: 'order', operation: 'getAll', [name]: '={{ $json.given }}' },
			{ items: [{ given: value } as IDataObject] },
		);
		expect(error).toMatchObject({ context: { data: { code: 'invalid_input', field: name } } });
		expect(sandbox.requests).toEqual([]);
	});

	it('skips a guard that is not set, and reads words of true and false', async () => {
		const made = await run(sandbox, { ...limitOrder, options: { dry_run: 'true' } });
		expect(made.items[0]!.json).toMatchObject({ dry_run: true });
		const plain = await run(sandbox, { ...limitOrder, pair_id: pick('USD/NGN') });
		expect(plain.error).toBeUndefined();
	});
});

describe('a credential', () => {
	it.each(['yes', 1, ''])('refuses a credential that allows different hosts with %j', async (value) => {
		const { error } = await run(sandbox, limitOrder, { credential: { allowDifferentHosts: value } });
		expect(error).toMatchObject({ context: { data: { code: 'invalid_account', field: 'allowDifferentHosts' } } });
	});
});
