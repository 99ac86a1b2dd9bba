import { join } from 'node:path';
import ts from 'typescript';

/** Each source is read once, for all scripts. */
const sources = new Map<string, ts.SourceFile | undefined>();

/** What a script says to the compiler under its strictest flags, with the core as its source. */
function problemsOf(script: string): string[] {
	const root = join(__dirname, '../..');
	const file = join(root, 'test/client/script.ts');
	const options: ts.CompilerOptions = {
		...{ strict: true, noEmit: true, skipLibCheck: true, exactOptionalPropertyTypes: true, resolveJsonModule: true },
		...{ noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true, types: ['node'] },
		...{
			target: ts.ScriptTarget.ES2023,
			module: ts.ModuleKind.CommonJS,
			moduleResolution: ts.ModuleResolutionKind.Node10,
		},
		...{
			baseUrl: root,
			paths: {
				'@partner-exchange/core': ['packages/core/src/index.ts'],
				'@partner-exchange/core/catalogue': ['packages/core/src/catalogue/index.ts'],
			},
			ignoreDeprecations: '5.0',
		},
	};
	const host = ts.createCompilerHost(options);
	const { getSourceFile } = host;
	host.getSourceFile = (name, ...rest) => {
		if (name === file) return ts.createSourceFile(name, script, ts.ScriptTarget.ES2023, true);
		if (!sources.has(name)) sources.set(name, getSourceFile.call(host, name, ...rest));
		return sources.get(name);
	};
	const program = ts.createProgram([file], options, host);
	return ts
		.getPreEmitDiagnostics(program, program.getSourceFile(file))
		.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

const header = `
import type { OperationId } from '@partner-exchange/core/catalogue';
import { isExchangeError, type Client, type ErrorOf, type Fill, type Order, type Stream, type StreamEvent } from '@partner-exchange/core';
declare const client: Client;
declare const id: OperationId;
declare const stream: Stream;
declare function known(fill: Fill): void;
declare const caught: unknown;
const order = { pair_id: 'USD/NGN', side: 'buy', quantity: '10.00' } as const;
`;

describe('the types of the client', () => {
	it('let a script do what is right without a cast', () => {
		expect(
			problemsOf(`${header}
export async function run(): Promise<string> {
	await client.order.create({ ...order, order_type: 'limit', price: '1500.00' });
	await client.order.create({ ...order, order_type: 'market' }, { options: { wait: 'final', business_key: 'a' } });
	await client.wallet.balances();
	for await (const each of client.order.list({ status: 'filled' })) {
		const known: Order = each;
		if (known.status === 'filled' || known.status === 'a later one') return known.filled_quantity;
	}
	const { orders } = await client.order.list();
	const rows: Order[] = await client.page('order.list', { pair_id: 'USD/NGN' });
	for await (const row of client.items('wallet.banks', {}, { limit: 5 })) rows.push(...(row.bank_code === '058' ? orders : []));
	const called = await client.call('order.create', { ...order, order_type: 'market' }, { options: { wait: 'final' } });
	if (called.status === 'filled' && called.wait?.reached) return called.order_id;
	const { transaction } = await client.simulation.fiatDeposit({ email: 'a@b.c', amount: '1', currency: 'NGN' });
	const credited: string | undefined = transaction?.status;
	const unknownYet: unknown = await client.call(credited === undefined ? id : 'order.get', { anything: true });
	const { best_bid } = await client.market.ticker({ pair_id: String(unknownYet ?? rows[0]?.pair_id) });
	stream.subscribe({
		topics: ['user.orders', 'user.fills', 'trades.USD_NGN', 'orderbook.*'],
		deliver: async (events) => {
			for (const event of events) {
				if (event.kind === 'gap') console.log(event.data.may_be_missing, event.data.done === 'read');
				else if (event.kind !== undefined) console.log(event.data.missing);
				else if (event.topic === 'user.orders') console.log(event.data.status === 'filled', event.data.remaining_quantity);
				else if (event.topic === 'user.fills') known(event.data);
				else if (event.topic === 'trades.USD_NGN') console.log(event.data.side === 'buy', event.data.sequence);
				else console.log(event.topic === 'orderbook.USD_NGN' && event.data.bids?.[0]?.price);
			}
		},
	});
	const later: string[] = ['user.fills'];
	stream.subscribe({ topics: later, deliver: async ([event]) => console.log(event?.data) });
	const keep = async (events: StreamEvent<'user.fills'>[]) => events.forEach(({ kind, data }) => kind === undefined && known(data));
	stream.subscribe({ topics: ['user.fills'], deliver: keep });
	const fills: Fill[] = [];
	for await (const fill of client.fill.list()) fills.push(fill);
	const bank: string | undefined = (await client.wallet.banks()).banks[0]?.bank_code;
	if (isExchangeError(caught, 'outcome_unknown')) return caught.details.client_order_id ?? '';
	else if (isExchangeError(caught)) return caught.code;
	const error = caught as ErrorOf<'timeout'> | ErrorOf<'rejected'>;
	if (isExchangeError(error, 'timeout')) return error.code;
	return error.details.order_id ?? bank ?? orders[0]?.id ?? fills[0]?.price ?? best_bid ?? '';
}`),
		).toEqual([]);
	});

	it.each([
		["client.order.create({ ...order, order_type: 'limit' })", /price/],
		["client.order.create({ ...order, order_type: 'market', price: '1500.00' })", /price/],
		["client.order.create({ ...order, order_type: 'market' }, { wait: 'final' })", /wait/],
		["client.order.list({}, { options: { wait: 'final' } })", /wait/],
		['client.order.get({ order_id: 5 })', /string/],
		["client.wallet.balances({ currency: 'NGN' })", /never/],
		[
			"client.recipient.create({ recipient_type: 'crypto', currency: 'USDT', label: 'a', bank_code: '058' })",
			/chain|bank_code/,
		],
		['client.order.gett({})', /gett/],
		["client.call('order.create', { ...order, order_type: 'limit' })", /price/],
		[
			"stream.subscribe({ topics: ['user.fills'], deliver: async ([event]) => known(event!.data) })",
			/gap|Gap|may_be_missing/,
		],
		[
			"stream.subscribe({ topics: ['user.fills'], deliver: async ([event]) => event!.topic === 'user.orders' })",
			/overlap/,
		],
		["stream.subscribe({ topics: ['user.fills'], delivers: async () => undefined })", /deliver/],
		[
			"stream.subscribe({ topics: later, deliver: async ([event]) => known(event!.data) }); const later = ['a']",
			/unknown/,
		],
		["client.call('order.get', { order: 'a' })", /order/],
		["client.call('order.list', {}, { options: { wait: 'final' } })", /wait/],
		["client.page('order.list', { pair: 'USD/NGN' })", /pair/],
		["client.items('fill.list', { order_id: 5 })", /string/],
	])('refuse what would do nothing, or something else: %s', (call, words) => {
		expect(problemsOf(`${header}void ${call};`).join(' ')).toMatch(words);
	});
});
