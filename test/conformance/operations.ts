/** One suite over every operation of the catalogue, run through each implementation that can call them. */
import { operationIds, operationOf, routeOf, type OperationId } from '@partner-exchange/core/catalogue';
import { startSandbox, type Sandbox, type SandboxOptions } from '@partner-exchange/sandbox';
import { itemsIn } from '../../packages/core/src/wire/payload';
import { until } from '../support/condition';
import { forAll } from '../support/opened';

/** Items requested from a list. */
export const LIMIT = 20;

/** Calls one operation: returns the record of the response, or the items of a list. */
export type Run = (id: OperationId, input: Record<string, unknown>) => Promise<unknown>;

export interface Target {
	run: Run;
	close(): Promise<void>;
}

/** The input of an operation, and what its response must contain. Patterns are matched against its JSON. */
interface Case {
	input: Record<string, unknown>;
	shows: RegExp;
}
type Prepared = (run: Run) => Case | Promise<Case>;

const pair_id = 'USD/NGN';
const limitOrder = { pair_id, side: 'buy', order_type: 'limit', quantity: '10.00', price: '1000.00' };
const trader = { email: 'trader@sandbox.test' };
const account_number = '0123456789';

const record = async (run: Run, id: OperationId, input: Record<string, unknown> = {}) =>
	(await run(id, input)) as Record<string, string>;
const first = async (run: Run, id: OperationId, input: Record<string, unknown> = {}) => {
	const [item] = (await run(id, input)) as Record<string, string>[];
	if (!item) throw new Error(`${id} answered an empty list`);
	return item;
};
const place = async (run: Run) => (await record(run, 'order.create', limitOrder)).order_id!;
/** A market order whose first fill can be read. */
async function trade(run: Run): Promise<void> {
	const stored = await fillCount(run);
	await run('order.create', { pair_id, side: 'buy', order_type: 'market', quantity: '1.00' });
	await until(async () => (await fillCount(run)) > stored, { what: 'the order to be filled' });
}
const fillCount = async (run: Run) => ((await run('fill.list', {})) as unknown[]).length;
const save = (run: Run) =>
	record(run, 'recipient.create', {
		recipient_type: 'crypto',
		currency: 'USDT',
		label: 'Cold',
		chain: 'TRON',
		crypto_address: address(),
	});
const deposit = (run: Run) => record(run, 'simulation.fiatDeposit', { ...trader, amount: '100.00', currency: 'NGN' });

let addresses = 0;
const address = () => `T${String((addresses += 1)).padStart(33, 'x')}`;

const cases: Record<OperationId, Prepared> = {
	'stream.status': () => ({ input: {}, shows: /"running":(true|false).*"topics":\[/ }),
	'order.create': () => ({ input: limitOrder, shows: /"order_id":"[0-9a-f-]{36}"/ }),
	'order.get': async (run) => {
		const order_id = await place(run);
		return { input: { order_id }, shows: new RegExp(`(?=.*"(order_)?id":"${order_id}").*"quantity":"10.00"`) };
	},
	'order.list': async (run) => {
		const order_id = await place(run);
		const accepted = async () => /"status":"accepted"/.test(JSON.stringify(await run('order.get', { order_id })));
		await until(accepted, { what: 'the order to be accepted' });
		return { input: { status: 'accepted' }, shows: /"status":"accepted"/ };
	},
	'order.cancel': async (run) => {
		const order_id = await place(run);
		return { input: { pair_id, order_id }, shows: new RegExp(`cancelling.*${order_id}|${order_id}.*cancelling`) };
	},
	'fill.summary': async (run) => {
		await trade(run);
		const days = { from: '2020-01-01', to: '2039-12-31', time_zone: 'Africa/Lagos' };
		return { input: days, shows: /"avg_price":"\d/ };
	},
	'order.estimate': () => ({
		input: { pair_id, side: 'buy', order_type: 'market', quantity: '1.00' },
		shows: /"fillable_quantity":"\d/,
	}),
	'order.cancelAll': async (run) => {
		const order_id = await place(run);
		return { input: { pair_id }, shows: new RegExp(`${order_id}.*"outcome":"cancelled"`) };
	},
	'order.replace': async (run) => {
		const order_id = await place(run);
		return {
			input: { pair_id, order_id, quantity: '9.00', price: '1001.00' },
			shows: /"new_order_id":"[0-9a-f-]{36}"/,
		};
	},
	'order.resolve': async (run) => {
		const client_order_id = `desk-${Date.now()}`;
		await record(run, 'order.create', { ...limitOrder, client_order_id });
		return { input: { client_order_id }, shows: new RegExp(`"client_order_id":"${client_order_id}"`) };
	},
	'fill.list': async (run) => {
		await trade(run);
		return { input: {}, shows: /"order_id"/ };
	},
	'market.list': () => ({ input: {}, shows: /"pair_id":"USD\/NGN"/ }),
	'market.ticker': () => ({ input: { pair_id }, shows: /bid/ }),
	'market.orderBook': () => ({ input: { pair_id, levels: 1 }, shows: /"bids":\[\{[^}]*\}\]/ }),
	'market.depth': () => ({ input: { pair_id, side: 'sell' }, shows: /"price":"\d/ }),
	'market.candles': async (run) => {
		await trade(run);
		return { input: { pair_id, interval: '1m', limit: 3 }, shows: /"volume_quote":"\d/ };
	},
	'market.trades': async (run) => {
		await trade(run);
		return { input: { pair_id, limit: 3 }, shows: /"sequence":\d/ };
	},
	'wallet.balances': () => ({ input: {}, shows: /"available":"\d+\.\d+"/ }),
	'wallet.currencies': () => ({ input: {}, shows: /"withdrawal_enabled":(true|false)/ }),
	'wallet.chains': () => ({ input: {}, shows: /TRON/ }),
	'wallet.banks': () => ({ input: {}, shows: /code":"\d/ }),
	'wallet.depositAccount': () => ({ input: {}, shows: /\d{10}/ }),
	'wallet.verifyAccount': async (run) => ({
		input: { bank_code: await bank(run), account_number },
		shows: /"account_name":"\w/,
	}),
	'transaction.list': async (run) => {
		await deposit(run);
		return { input: { currency: 'NGN' }, shows: /"currency":"NGN"/ };
	},
	'transaction.get': async (run) => {
		await deposit(run);
		const { id } = await first(run, 'transaction.list');
		return { input: { transaction_id: id }, shows: new RegExp(`"id":"${id}"`) };
	},
	'recipient.create': async (run) => ({
		input: {
			recipient_type: 'fiat',
			currency: 'NGN',
			label: 'Rent',
			bank_code: await bank(run),
			account_number,
			...(await holder(run)),
		},
		shows: /"label":"Rent"/,
	}),
	'recipient.list': async (run) => {
		await save(run);
		return { input: { recipient_type: 'crypto' }, shows: /"label":"Cold"/ };
	},
	'recipient.update': async (run) => {
		const { id } = await save(run);
		return { input: { recipient_id: id, label: 'Office' }, shows: /"label":"Office"/ };
	},
	'recipient.delete': async (run) => {
		const { id } = await save(run);
		return { input: { recipient_id: id }, shows: /./ };
	},
	'simulation.fiatDeposit': () => ({ input: { ...trader, amount: '10.00', currency: 'NGN' }, shows: /10\.00/ }),
	'simulation.cryptoDeposit': () => ({
		input: { ...trader, chain: 'TRON', asset: 'USDT', amount: '10.00' },
		shows: /10\.00/,
	}),
	'simulation.fiatWithdrawal': () => ({
		input: { body: { ...trader, amount: '5.00', currency: 'NGN' } },
		shows: /5\.00/,
	}),
	'simulation.cryptoWithdrawal': () => ({
		input: { body: { ...trader, amount: '5.00', chain: 'TRON', asset: 'USDT' } },
		shows: /5\.00/,
	}),
	'simulation.kybStatus': () => ({ input: { body: { ...trader, status: 'approved' } }, shows: /approved/ }),
	'simulation.productUpdate': () => ({ input: { body: { ...trader, title: 'News' } }, shows: /News/ }),
	'sandbox.get': () => ({ input: {}, shows: /"clock":"(real|virtual)".*"epoch":"/ }),
	'sandbox.armFault': () => ({
		input: { kind: 'server-error', operation: 'market.ticker', times: 2, after: 3 },
		shows: /"kind":"server-error".*"times":2.*"fired":0/,
	}),
	'sandbox.clearFaults': () => ({ input: {}, shows: /"done":true/ }),
	'sandbox.moveClock': () => ({ input: { advance_ms: 1000 }, shows: /"now":"/ }),
	'sandbox.runScenario': () => ({ input: { name: 'quiet-market' }, shows: /quiet-market/ }),
	'sandbox.reset': () => ({ input: {}, shows: /"done":true/ }),
};

const bank = async (run: Run) => {
	const { bank_code, code } = await first(run, 'wallet.banks');
	return bank_code ?? code!;
};
const holder = async (run: Run) => {
	const { account_name } = await record(run, 'wallet.verifyAccount', { bank_code: await bank(run), account_number });
	return { account_name };
};

/** The rows of a list as the service sends them, read without any code of the client; undefined for no list. */
async function pageOf({ baseUrl }: Sandbox, id: OperationId, input: Record<string, unknown>) {
	const { list, run } = operationOf(id);
	if (!list) return undefined;
	const url = `${baseUrl}${routeOf({ run })!.replace('GET ', '')}?${new URLSearchParams(input as Record<string, string>)}`;
	const { data } = (await (await fetch(url, { headers: { 'x-api-key': 'sandbox-key' } })).json()) as { data: unknown };
	return itemsIn(data, list.at);
}

/** These operations wait for something the exchange does by itself, so their sandbox runs on a real clock. */
const MOVES_TIME: OperationId = 'sandbox.moveClock';

/** Runs every operation through `open` against a sandbox of its own. */
export function testOperations(
	name: string,
	open: (sandbox: Sandbox) => Promise<Target>,
	options: SandboxOptions = {},
	isOffered: (id: OperationId) => boolean = () => true,
): void {
	describe(`every operation through ${name}`, () => {
		const sandbox = forAll(() => startSandbox({ marketMaker: true, seed: 7, ...options }));
		const target = forAll(() => open(sandbox));

		it('shows every operation of the catalogue, so that none is added without a case', () => {
			expect(Object.keys(cases).sort()).toEqual([...operationIds].sort());
		});

		const isAnswered = async (id: OperationId, { run }: Target): Promise<void> => {
			const { input, shows } = await cases[id](run);
			const args = Object.entries(input).filter(([, value]) => value !== undefined);
			const page = await pageOf(sandbox, id, Object.fromEntries(args));
			const answer = await run(id, Object.fromEntries(args));
			expect(JSON.stringify(answer)).toMatch(shows);
			// No row is lost as a repeated one. The list may have grown since.
			if (page) expect((answer as unknown[]).length).toBeGreaterThanOrEqual(Math.min(LIMIT, page.length));
		};

		it.each(operationIds.filter((id) => id !== MOVES_TIME && isOffered(id)))('%s is answered', async (id) => {
			await isAnswered(id, target);
		});

		it(`${MOVES_TIME} is answered where time stands`, async () => {
			const timeless = await startSandbox({ ...options, clock: 'virtual' });
			const other = await open(timeless);
			await isAnswered(MOVES_TIME, other);
			await other.close();
			await timeless.close();
		});
	});
}
