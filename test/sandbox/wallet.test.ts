import { ask, balance, limit, sandboxFor, sandboxForEach, type Json } from './connection';

const sandbox = sandboxForEach();

const email = 'trader@sandbox.test';
const bank = { recipient_type: 'fiat', currency: 'NGN', label: 'Rent', bank_code: '058', account_number: '0123456789' };
const address = {
	recipient_type: 'crypto',
	currency: 'USDT',
	label: 'Cold',
	chain: 'TRON',
	crypto_address: 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE',
};

describe('the wallet', () => {
	it('locks a withdrawal until it is completed', async () => {
		const body = { email, amount: '250.00', chain: 'TRON', asset: 'USDT' };
		const { json } = await ask(sandbox, 'POST /simulate/crypto/withdrawals', { key: null, body });
		expect(json.data).toMatchObject({ currency: 'USD', settlement_rail: 'USDT', status: 'pending' });
		expect(await balance(sandbox, 'USD')).toMatchObject({
			locked: '250.00',
			available: '99750.00',
			total: '100000.00',
		});
		sandbox.advance(100);
		expect(await balance(sandbox, 'USD')).toMatchObject({ locked: '0.00', total: '99750.00' });
	});
});

describe('recipients', () => {
	it('saves recipients of both kinds, lists them by kind and currency, and removes them', async () => {
		const saved = await ask(sandbox, 'POST /partner/wallets/recipients', { body: bank });
		expect(saved.json.data).toMatchObject({ bank_name: 'Guaranty Trust Bank', chain: null, crypto_address: null });
		await ask(sandbox, 'POST /partner/wallets/recipients', { body: address });
		const matches = (await ask(sandbox, 'GET /partner/wallets/recipients?recipient_type=crypto&currency=USDT')).json
			.data as Json[];
		expect(matches).toMatchObject([{ chain: 'TRON', account_number: null }]);
		const removed = await ask(sandbox, `DELETE /partner/wallets/recipients/${saved.json.data!.id}`);
		expect(removed.json.data).toEqual({ deleted: true, id: saved.json.data!.id });
		expect((await ask(sandbox, `DELETE /partner/wallets/recipients/${saved.json.data!.id}`)).status).toBe(404);
	});

	it('refuses changes of a recipient but for its label, and moves updated_at with the label', async () => {
		const { id, updated_at: before } = (await ask(sandbox, 'POST /partner/wallets/recipients', { body: bank })).json
			.data as Json;
		for (const fields of [
			{ id: 'x' },
			{ created_at: 'x' },
			{ recipient_type: 'crypto' },
			{ label: 'x', account_number: '1' },
		]) {
			expect((await ask(sandbox, `PATCH /partner/wallets/recipients/${id}`, { body: fields })).status).toBe(400);
		}
		sandbox.advance(5);
		const { data } = (await ask(sandbox, `PATCH /partner/wallets/recipients/${id}`, { body: { label: 'Lagos rent' } }))
			.json;
		expect(data).toMatchObject({ id, label: 'Lagos rent', recipient_type: 'fiat' });
		expect(Date.parse(data!.updated_at as string)).toBeGreaterThan(Date.parse(before as string));
	});
});

describe('simulation', () => {
	const line = 'POST /simulate/fiat/deposits';
	const valid = { email, amount: '5.00', currency: 'NGN' };

	it('checks the environment of a simulation first, the body next and the account last', async () => {
		const production = await sandboxFor({ production: true });
		expect((await ask(production, line, { key: null, body: { nonsense: true } })).status).toBe(403);
		expect(
			(await ask(sandbox, line, { key: null, body: { ...valid, email: 'nobody@sandbox.test', amount: 5 } })).status,
		).toBe(400);
		expect((await ask(sandbox, line, { key: null, body: { ...valid, email: 'nobody@sandbox.test' } })).status).toBe(
			404,
		);
		expect((await ask(sandbox, line, { key: null, body: valid })).status).toBe(201);
	});
});

describe('the stated causes of failure', () => {
	const post = (path: string, body: object) => ['POST', path, body] as const;
	const recipients = '/partner/wallets/recipients';
	const verify = '/partner/wallets/fiat/verify-account';
	it.each([
		['unknown_pair', 'GET', '/partner/exchange/ticker/24h?pair_id=EUR%2FNGN', undefined],
		['unknown_pair', ...post('/partner/exchange/orders', limit({ pair_id: 'EUR/NGN' }))],
		['invalid_before', 'GET', '/partner/exchange/candles?pair_id=USD%2FNGN&interval=1m&before=yesterday', undefined],
		['invalid_interval', 'GET', '/partner/exchange/candles?pair_id=USD%2FNGN&interval=2m', undefined],
		['invalid_bank_code', ...post(verify, { bank_code: '000', account_number: '0123456789' })],
		['account_number_mismatch', ...post(verify, { bank_code: '058', account_number: '0000000000' })],
		['invalid_account_number', ...post(verify, { bank_code: '058', account_number: '12' })],
		['account_name_mismatch', ...post(recipients, { ...bank, account_name: 'Somebody Else' })],
		['unknown_recipient', 'DELETE', `${recipients}/none`, undefined],
		['invalid_status', 'GET', '/partner/wallets/transactions?status=lost', undefined],
		['unknown_transaction', 'GET', '/partner/wallets/transactions/none', undefined],
		['invalid_status', 'GET', '/partner/exchange/orders?status=lost', undefined],
		['insufficient_funds', ...post('/simulate/fiat/withdrawals', { email, amount: '999999999.00', currency: 'NGN' })],
		['unknown_chain', ...post('/simulate/crypto/deposits', { email, chain: 'MARS', asset: 'USDT', amount: '1.00' })],
	])('answers the stated failure %s: %s %s', async (code, method, path, body) => {
		const { status, json } = await ask(sandbox, `${method} ${path}`, { body, headers: { 'idempotency-key': 'one' } });
		expect(status).toBe(/^unknown/.test(code) && code !== 'unknown_chain' ? 404 : 400);
		expect(json.error!.code).toBe(code);
	});

	it('refuses duplicate recipient details', async () => {
		await ask(sandbox, `POST ${recipients}`, { body: address });
		expect(await ask(sandbox, `POST ${recipients}`, { body: address })).toMatchObject({
			status: 409,
			json: { error: { code: 'duplicate_recipient' } },
		});
	});
});
