import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as catalogue from '@partner-exchange/core/catalogue';
import {
	isOrderWrite,
	commandOf,
	routeOf,
	operationIds,
	operationOf,
	type Operation,
	type Shape,
} from '@partner-exchange/core/catalogue';
import { tablesIn, wordsIn } from '../support/tables';

const page = readFileSync(join(__dirname, '../../docs/interface.md'), 'utf8');
const tables = tablesIn(page);
const rows = (heading: string) => {
	const table = tables[heading];
	if (!table?.length) throw new Error(`docs/interface.md has no table under ${heading}`);
	return table;
};
const column = (heading: string, name: string) => rows(heading).map((row) => row[name]!);

const routed = operationIds.map(operationOf).filter((operation) => routeOf(operation));
const byRoute = new Map(routed.map((operation) => [routeOf(operation) as string, operation]));
const routes = rows('4. Routes');
const routeIn = (row: Record<string, string>) => `${row.Method} ${row.Path}`;
const each = routes.map((row) => [routeIn(row), row] as const);

/** The action classes of the document, and their names in the catalogue. */
const classes: Readonly<Record<string, string>> = {
	'exchange reads': 'exchangeRead',
	'order creation': 'orderCreate',
	'order execution': 'orderExecute',
	'wallet reads': 'walletRead',
	recipients: 'recipients',
};

describe('routes', () => {
	it('the document and the catalogue have the same routes', () => {
		expect([...byRoute.keys()].sort()).toEqual(routes.map(routeIn).sort());
	});

	it('describes each route once', () => {
		expect(byRoute.size).toBe(routed.length);
	});

	it.each(each)('%s takes the key of the action class that the document says', (route, { Class }) => {
		expect(byRoute.get(route)!.access).toBe(Class === 'none' ? 'public' : classes[Class!]);
	});

	it.each(each)('accepts on %s the shown inputs, and others only with an assumed name', (route, row) => {
		const operation = byRoute.get(route)!;
		const rows = row.Inputs === 'Order create: body' ? orderInputs() : wordsIn(row.Inputs);
		const described = Object.entries(operation.input).filter(([, field]) => !field.assumed);
		expect(described.map(([name, { optional }]) => name + (optional ? '' : '*')).sort()).toEqual(rows.sort());
		const assumed = Object.values(operation.input).some((field) => field.assumed);
		if (assumed) expect(row['Unnamed inputs']).not.toBe('');
	});

	it.each(each)('reads from %s what the document shows, and says where nothing is shown', (route, { Answer }) => {
		const operation = byRoute.get(route)!;
		const [record, ...more] = wordsIn(Answer);
		const notShown = record === 'not shown' || more.includes('not shown');
		expect(operation.outputNotShown !== undefined).toBe(notShown);
		if (record !== 'not shown') expect(fieldsOf(operation.output)).toEqual(documented(record!));
	});

	it('sends the idempotency key with order writes, and with nothing else', () => {
		const guarded = routed.filter(isOrderWrite).map(routeOf);
		expect(guarded).toEqual(['POST /partner/exchange/orders']);
	});

	it('refuses the simulation in production, and nothing else', () => {
		const simulated = routed.filter(({ nonProduction }) => nonProduction).map(routeOf);
		expect(simulated.sort()).toEqual(
			routes
				.map(routeIn)
				.filter((route) => route.includes('/simulate/'))
				.sort(),
		);
	});
});

describe('values', () => {
	const valuesOf = (name: string) => wordsIn(rows('Values of inputs').find((row) => row.Input === name)?.Values);
	/** A value that stands for several others is not the service's. */
	const valuesSent = ({ values, groups = {} }: catalogue.Field) =>
		values?.filter((value) => !Object.hasOwn(groups, value));
	const choices = (route: string, name: string) => valuesSent(byRoute.get(route)!.input[name]!);

	it.each([
		['interval', 'GET /partner/exchange/candles', 'interval'],
		['recipient_type', 'GET /partner/wallets/recipients', 'recipient_type'],
		['recipient_type', 'POST /partner/wallets/recipients', 'recipient_type'],
		['order status filter', 'GET /partner/exchange/orders', 'status'],
		['simulated fiat currency', 'POST /simulate/fiat/deposits', 'currency'],
	])('the document has the values of %s from %s', (name, route, input) => {
		expect(choices(route, input)).toEqual(valuesOf(name));
	});

	it.each(rows('Order create: body').filter((row) => row.Type === 'choice'))(
		'the values of $Field are those of an order',
		(row) => {
			expect(choices('POST /partner/exchange/orders', row.Field!)).toEqual(wordsIn(row.Values));
		},
	);

	it.each(rows('Order create: body'))('the document has the field $Field of an order with kind $Type', (row) => {
		expect(byRoute.get('POST /partner/exchange/orders')!.input[row.Field!]!.kind).toBe(row.Type);
	});
});

describe('states', () => {
	const finality = { no: 'open', yes: 'final', 'not shown': 'unknown' } as Record<string, string>;
	const asTable = (heading: string) =>
		Object.fromEntries(rows(heading).map((row) => [row.Status, finality[row.Final!]]));

	it('the document and the catalogue have the same order statuses, with the same finality', () => {
		expect(catalogue.orderStatuses).toEqual(asTable('Order statuses'));
	});

	it('the document and the catalogue have the same transaction statuses, with the same finality', () => {
		expect(catalogue.transactionStatuses).toEqual(asTable('Transaction statuses'));
	});
});

describe('stream', () => {
	it('the document and the catalogue have the same topics, with the same need for a key', () => {
		const described = Object.entries(catalogue.topics).map(([topic, { access, perPair }]) => ({
			Topic: topic,
			Key: access === 'public' ? 'none' : 'yes',
			'Per pair': perPair ? 'yes' : 'no',
		}));
		const byName = (a: { Topic?: string }, b: { Topic?: string }) => a.Topic!.localeCompare(b.Topic!);
		expect(described.sort(byName)).toEqual([...rows('Topics')].sort(byName));
	});

	it('the document and the catalogue have the same fields of commands', () => {
		const view = Object.fromEntries(rows('Commands').map((row) => [row.action, wordsIn(row.Fields)]));
		expect(catalogue.commands).toEqual(view);
	});

	it.each(rows('Commands'))('describes $action as an operation or a route, with its acknowledgement', (row) => {
		const operation =
			operationIds.map(operationOf).find((operation) => commandOf(operation) === row.action) ??
			byRoute.get('POST /partner/exchange/orders')!;
		expect(Object.keys(operation.output)).toEqual(wordsIn(row['Acknowledged with']));
		const carried = wordsIn(row.Fields);
		expect(Object.keys(operation.input).sort()).toEqual([...carried].sort());
	});

	it('the document and the catalogue have the same command errors', () => {
		expect([...catalogue.commandErrorCodes]).toEqual(column('Command errors', 'code'));
	});
});

describe('limits', () => {
	it('the document and the catalogue have the same limits', () => {
		const { TOPICS_PER_CONNECTION_MAX, CANDLES_DEFAULT, TRADES_DEFAULT } = catalogue;
		expect([TOPICS_PER_CONNECTION_MAX, CANDLES_DEFAULT, TRADES_DEFAULT]).toEqual(
			column('8. Limits', 'Value').map(Number),
		);
	});
});

describe('action classes', () => {
	it('the catalogue has the five action classes of the document besides the routes without a key', () => {
		const used = new Set(operationIds.map((id) => operationOf(id).access).filter((access) => access !== 'public'));
		expect([...used].sort()).toEqual(
			column('Action classes', 'Class')
				.map((name) => classes[name])
				.sort(),
		);
	});
});

function orderInputs(): string[] {
	return rows('Order create: body').map(({ Field, Required }) => Field! + (Required === 'no' ? '' : '*'));
}

/** `{ balances: [{ total: 'decimal' }] }` as `balances[].total: decimal`. */
function fieldsOf(shape: Operation['output'], path = ''): string[] {
	if (typeof shape === 'string') return [`${path}: ${shape.replace('?', ' or null')}`];
	if (Array.isArray(shape)) return fieldsOf((shape as readonly [Shape])[0], `${path}[]`);
	return Object.entries(shape as Record<string, Shape>)
		.flatMap(([name, part]) => fieldsOf(part, path === '' ? name : `${path}.${name}`))
		.sort();
}

/** The first sentence of a record lists its fields: `` `id` text, `price` decimal or null``. */
function documented(record: string): string[] {
	const [, sentence] = page.split(`- **${record}**:`)[1]?.match(/^\s(.+?)\.\s/s) ?? [];
	if (!sentence) throw new Error(`docs/interface.md has no fields of ${record}`);
	return sentence
		.split(/,\s+/)
		.map((field) => field.replace(/\s+/g, ' ').replace(/^`(.+)` /, '$1: '))
		.sort();
}
