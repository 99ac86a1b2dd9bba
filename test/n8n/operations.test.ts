import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { previews } from '../../build/schemas';
import { places } from '../../nodes/shared/form/names';
import { answer, limitOrder, pick, run } from './exchange';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ marketMaker: true });
});
afterAll(async () => await sandbox.close());

const at = (resource: string, operation: string, more: object = {}) => ({ resource, operation, ...more });
const pair_id = pick('USD/NGN');
const bank = () => answer(sandbox, at('wallet', 'getBanks'));
const placed = async () => String((await answer(sandbox, limitOrder)).order_id);
const traded = () => answer(sandbox, { ...limitOrder, order_type: 'market', options: { wait: 'final' } });
const namedOrder = async () => {
	await answer(sandbox, { ...limitOrder, options: { client_order_id: 'desk-1' } });
	return 'desk-1';
};
const trader = { email: 'trader@sandbox.test' };
const deposit = () =>
	answer(sandbox, at('simulation', 'fiatDeposit', { ...trader, amount: '100.00', currency: 'NGN' }));
let accounts = 0;
/** Recipient "Rent", with a unique account number at a bank of the list. */
const rent = async () => {
	const { bank_code, code } = await bank();
	const account_number = String((accounts += 1)).padStart(10, '0');
	const fields = { bank_code: pick(String(bank_code ?? code)), account_number };
	return { recipient_type: 'fiat', currency: 'NGN', label: 'Rent', ...fields };
};
const saved = async () => String((await answer(sandbox, at('recipient', 'create', await rent())))['id']);

/** One way to call each operation, and a pattern its output matches. */
type Call = [parameters: object, shows: RegExp];
const calls: Record<string, () => Call | Promise<Call>> = {
	'order.create': () => [limitOrder, /"order_id":"[0-9a-f-]{36}"/],
	'order.get': async () => [at('order', 'get', { order_id: pick(await placed(), 'id') }), /"filled_quantity"/],
	'order.getAll': () => [at('order', 'getAll', { returnAll: false, limit: 2 }), /"client_order_id"/],
	'order.cancel': async () => [
		at('order', 'cancel', { pair_id, order_id: await placed(), options: { wait: 'final' } }),
		/"status":"cancelled"/,
	],
	'fill.summary': async () => {
		await traded();
		const days = { from: '2020-01-01', to: '2039-12-31', time_zone: 'Africa/Lagos' };
		return [at('fill', 'summary', days), /"avg_price":"\d/];
	},
	'order.estimate': () => [
		at('order', 'estimate', {
			...{ pair_id, side: 'buy', order_type: 'market' },
			quote_amount: '1500.00',
		}),
		/"slippage_percent"/,
	],
	'order.cancelAll': async () => {
		await placed();
		return [at('order', 'cancelAll'), /"outcome":"cancelled"/];
	},
	'order.replace': async () => [
		at('order', 'replace', { pair_id, order_id: await placed(), quantity: '9.00', price: '1001.00' }),
		/"new_order_id"/,
	],
	'order.resolve': async () => [at('order', 'resolve', { client_order_id: await namedOrder() }), /"outcome"/],
	'stream.status': () => [at('stream', 'status'), /"open_intents":\d/],
	'fill.getAll': async () => {
		await traded();
		return [at('fill', 'getAll', { returnAll: true }), /"quantity":"\d/];
	},
	'market.getAll': () => [at('market', 'getAll'), /USD\/NGN/],
	'market.getTicker': () => [at('market', 'getTicker', { pair_id }), /bid/],
	'market.getOrderBook': () => [
		at('market', 'getOrderBook', { pair_id, options: { levels: 1 } }),
		/"bids":\[\{[^}]*\}\]/,
	],
	'market.getDepth': () => [at('market', 'getDepth', { pair_id, options: { side: 'sell' } }), /\d/],
	'market.getCandles': async () => {
		await traded();
		return [at('market', 'getCandles', { pair_id, interval: '1m', limit: 3 }), /"volume_quote"/];
	},
	'market.getTrades': async () => {
		await traded();
		return [at('market', 'getTrades', { pair_id, limit: 3 }), /"sequence"/];
	},
	'wallet.getBalances': () => [at('wallet', 'getBalances'), /"available":"\d+\.\d+"/],
	'wallet.getCurrencies': () => [at('wallet', 'getCurrencies'), /"withdrawal_enabled"/],
	'wallet.getChains': () => [at('wallet', 'getChains'), /[A-Z]{3}/],
	'wallet.getBanks': () => [at('wallet', 'getBanks'), /code/],
	'wallet.getDepositAccount': () => [at('wallet', 'getDepositAccount'), /account/],
	'wallet.verifyAccount': async () => {
		const { bank_code, code } = await bank();
		return [
			at('wallet', 'verifyAccount', { bank_code: pick(String(bank_code ?? code)), account_number: '0123456789' }),
			/account_name/,
		];
	},
	'transaction.getAll': async () => {
		await deposit();
		return [at('transaction', 'getAll', { filters: { currency: pick('NGN') } }), /"rail"/];
	},
	'transaction.get': async () => {
		await deposit();
		const { id } = await answer(sandbox, at('transaction', 'getAll', { limit: 1 }));
		return [at('transaction', 'get', { transaction_id: pick(String(id), 'id') }), new RegExp(String(id))];
	},
	'recipient.create': async () => [
		at('recipient', 'create', { ...(await rent()), options: { verify_account: true } }),
		/"id"/,
	],
	'recipient.getAll': async () => {
		await saved();
		return [at('recipient', 'getAll', { filters: { recipient_type: 'fiat' } }), /Rent/];
	},
	'recipient.update': async () => [
		at('recipient', 'update', { recipient_id: pick(await saved(), 'id'), label: 'Office' }),
		/Office/,
	],
	'recipient.delete': async () => [at('recipient', 'delete', { recipient_id: await saved() }), /"deleted":true/],
	'simulation.fiatDeposit': () => [
		at('simulation', 'fiatDeposit', { ...trader, amount: '10.00', currency: 'NGN' }),
		/./,
	],
	'simulation.cryptoDeposit': () => [
		at('simulation', 'cryptoDeposit', { ...trader, chain: 'TRON', asset: 'USDT', amount: '10.00' }),
		/./,
	],
	'simulation.fiatWithdrawal': () => [
		at('simulation', 'fiatWithdrawal', { ...trader, amount: '5.00', currency: 'NGN' }),
		/./,
	],
	'simulation.cryptoWithdrawal': () => [
		at('simulation', 'cryptoWithdrawal', {
			options: { body: JSON.stringify({ ...trader, amount: '5.00', chain: 'TRON', asset: 'USDT' }) },
		}),
		/./,
	],
	'simulation.kybStatus': () => [at('simulation', 'kybStatus', { ...trader, status: 'approved' }), /./],
	'simulation.productUpdate': () => [
		at('simulation', 'productUpdate', { options: { body: { ...trader, title: 'News' } } }),
		/./,
	],
	'sandbox.get': () => [at('sandbox', 'get'), /"epoch":"/],
	'sandbox.armFault': () => [
		at('sandbox', 'armFault', { kind: 'server-error', options: { operation: 'market.ticker', after: 3 } }),
		/"fired":0/,
	],
	'sandbox.clearFaults': () => [at('sandbox', 'clearFaults'), /"done":true/],
	'sandbox.moveClock': () => [at('sandbox', 'moveClock', { advance_ms: 1000 }), /"now":"/],
	'sandbox.runScenario': () => [at('sandbox', 'runScenario', { name: 'quiet-market' }), /quiet-market/],
	'sandbox.reset': () => [at('sandbox', 'reset'), /"done":true/],
};

/** A real clock cannot be advanced. */
const MOVES_TIME = 'sandbox.moveClock';

/** The fields n8n shows of an output before the node was run. */
function previewOf(name: string): string[] {
	return Object.keys(previews().find(({ path }) => path === `${name.replace('.', '/')}.json`)!.schema.properties ?? {});
}

describe('every operation, on the engine of n8n against the sandbox', () => {
	it('every operation has a call in this test', () => {
		expect(Object.keys(calls).sort()).toEqual(
			places.map(({ resource, operation }) => `${resource}.${operation}`).sort(),
		);
	});

	async function isAnswered(name: string, exchange: Sandbox): Promise<void> {
		const [parameters, shows] = await calls[name]!();
		const made = await run(exchange, parameters as never);
		expect(made.error).toBeUndefined();
		expect(made.items.length).toBeGreaterThan(0);
		expect(JSON.stringify(made.items.map(({ json }) => json))).toMatch(shows);
		expect(previewOf(name).filter((field) => !Object.hasOwn(made.items[0]!.json, field))).toEqual([]);
		expect(made.items.map(({ pairedItem }) => pairedItem)).toEqual(made.items.map(() => ({ item: 0 })));
	}

	it.each(Object.keys(calls).filter((name) => name !== MOVES_TIME))(
		'the operation %s answers in items paired with their inputs',
		async (name) => await isAnswered(name, sandbox),
	);

	it(`the operation ${MOVES_TIME} answers where time stands, in items paired with their inputs`, async () => {
		const other = await startSandbox({ clock: 'virtual' });
		try {
			await isAnswered(MOVES_TIME, other);
		} finally {
			await other.close();
		}
	});
});
