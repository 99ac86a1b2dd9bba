import type { OperationId } from '@partner-exchange/core/catalogue';
import type { CallContext } from '@partner-exchange/core';
import { drop, failure, success, useWire } from '../support/wire';
import { account, CREATE, VERIFY } from './recipient-stage';

const LIST = 'GET /partner/wallets/recipients';
const DELETE = 'DELETE /partner/wallets/recipients/r1';
const BANKS = 'GET /partner/wallets/fiat/banks';
const saved = { id: 'r1', ...account, account_name: 'ADA OBI' };

const { wire, client, warnings, context } = useWire();
beforeEach(() => {
	wire.on(
		BANKS,
		success({
			banks: [
				{ code: '058', name: 'Guaranty Trust' },
				{ code: '044', name: 'Access' },
			],
		}),
	);
	wire.on(CREATE, success(saved, 201));
});

const sentBody = () => JSON.parse(wire.calls(CREATE)[0]!.body);
const verified: CallContext = { options: { verify_account: true } };

describe('creating a recipient', () => {
	it('sends the fields of a saved recipient, with the free ones over them', async () => {
		await client.recipient.create({ ...account, body: { nickname: 'home', label: 'Lagos rent' } }, context);
		expect(sentBody()).toEqual({ ...account, nickname: 'home', label: 'Lagos rent' });
	});

	it('sends the address of a crypto recipient and no bank field', async () => {
		const crypto = {
			recipient_type: 'crypto',
			currency: 'USDT',
			label: 'Cold',
			chain: 'TRON',
			crypto_address: 'TXyz',
		} as const;
		wire.on(CREATE, success({ id: 'r1', ...crypto }, 201));
		await client.recipient.create(crypto, context);
		expect(sentBody()).toEqual(crypto);
		await client.recipient.create(crypto, { ...context, ...verified });
		expect(warnings).toContainEqual({
			kind: 'not_checked',
			text: expect.stringContaining('no bank says whose a blockchain address is'),
		});
		await expect(client.call<OperationId>('recipient.create', { ...crypto, bank_code: '058' })).rejects.toMatchObject({
			field: 'bank_code',
		});
		expect(wire.calls(BANKS)).toEqual([]);
	});

	it('calls nothing that moves money', async () => {
		wire
			.on(LIST, success([saved]))
			.on(DELETE, { status: 204 })
			.on('PATCH /partner/wallets/recipients/r1', success(saved));
		await client.recipient.create(account);
		await client.recipient.update({ recipient_id: 'r1', label: 'x' });
		await client.recipient.delete({ recipient_id: 'r1' });
		expect(
			wire.received.map(({ path }) => path).filter((path) => /transaction|withdraw|deposit|order/.test(path)),
		).toEqual([]);
	});

	it('refuses a bank code the live list no longer has, and proposes some that it has', async () => {
		const error = await client.recipient.create({ ...account, bank_code: '059' }).catch((reason) => reason);
		expect(error).toMatchObject({ code: 'invalid_input', field: 'bank_code' });
		expect(error.message).toContain('such as 058 (Guaranty Trust)');
		expect(wire.calls(CREATE)).toEqual([]);
	});

	it('continues without the bank list, and says that the code was not checked', async () => {
		wire.on(BANKS, failure(500, {}));
		await expect(client.recipient.create(account, context)).resolves.toMatchObject({ id: 'r1' });
		expect(warnings).toEqual([
			{ kind: 'not_checked', text: 'The list of banks could not be read, so the bank code was not checked' },
		]);
	});
});

describe('verifying the account first', () => {
	it.each([
		['account_name', { account_name: 'ADA OBI' }],
		['name', { name: 'ADA OBI', verified: true }],
		['a nested account', { account: { account_name: 'ADA OBI' } }],
	])("takes the holder's name from %s into the recipient", async (_, confirmation) => {
		wire.on(VERIFY, success(confirmation));
		await client.recipient.create(account, verified);
		expect(wire.received.map(({ method, path }) => `${method} ${path}`)).toEqual([BANKS, VERIFY, CREATE]);
		expect(sentBody()).toEqual({ ...account, account_name: 'ADA OBI' });
	});

	it.each([
		[
			'another name',
			{ account_name: 'EVE OKO' },
			'invalid_input',
			'account_name',
			'The bank names the holder EVE OKO, not Ada Obi',
		],
		[
			'no confirmation',
			{ account_name: 'ADA OBI', verified: false },
			'refused',
			'account_number',
			'The bank does not confirm this account',
		],
	])('rejects %s with a clear error, and saves nothing', async (_, confirmation, code, field, what) => {
		wire.on(VERIFY, success(confirmation));
		const error = await client.recipient
			.create({ ...account, account_name: 'Ada Obi' }, verified)
			.catch((reason) => reason);
		expect(error).toMatchObject({ code, field, details: { rule: 'verify_account' } });
		expect(error.message).toContain(what);
		expect(wire.calls(CREATE)).toEqual([]);
	});

	it.each(['\u200b', '\u00a0', '\ufeff', '\u202e', '\u2066', '\u00ad'])(
		'saves and verifies no number or address with the character %j, which nobody sees',
		async (hidden) => {
			const number = { ...account, account_number: `01234${hidden}56789` };
			const refused = { code: 'invalid_input', field: 'account_number' };
			await expect(client.recipient.create(number)).rejects.toMatchObject(refused);
			const { bank_code, account_number } = number;
			await expect(client.wallet.verifyAccount({ bank_code, account_number })).rejects.toMatchObject(refused);
			const wallet = { recipient_type: 'crypto', currency: 'USDT', label: 'Treasury', chain: 'TRON' } as const;
			const address = { ...wallet, crypto_address: `TX${hidden}yz` };
			await expect(client.recipient.create(address)).rejects.toMatchObject({ field: 'crypto_address' });
			expect(wire.received).toHaveLength(0);
		},
	);

	it('saves no address with a space or a letter of another alphabet in it, and leaves out those around it', async () => {
		const wallet = { recipient_type: 'crypto', currency: 'USDT', label: 'Treasury', chain: 'TRON' } as const;
		const save = (crypto_address: string) => client.recipient.create({ ...wallet, crypto_address });
		for (const odd of ['TX yz', 'T\u0425yz', 'TXýz'])
			await expect(save(odd)).rejects.toMatchObject({ code: 'invalid_input', field: 'crypto_address' });
		expect(wire.received).toHaveLength(0);
		wire.on(CREATE, success({ id: 'r1' }));
		await save(' TXyz\u00a0');
		expect(wire.calls(CREATE).map(({ body }) => body)).toEqual([expect.stringContaining('"TXyz"')]);
	});

	it('rejects an account that the service refuses with a clear error', async () => {
		wire.on(VERIFY, failure(422, { message: 'account number mismatch' }));
		const error = await client.recipient.create(account, verified).catch((reason) => reason);
		expect(error).toMatchObject({
			code: 'refused',
			field: 'account_number',
			serviceMessage: 'account number mismatch',
		});
		expect(error.message).toContain('nothing was saved');
		expect(wire.calls(CREATE)).toEqual([]);
	});

	it('verifies without creating anything, and passes on what the bank says', async () => {
		wire.on(VERIFY, success({ whatever: { account_name: 'ADA OBI' } }));
		const { bank_code, account_number } = account;
		await expect(client.wallet.verifyAccount({ bank_code, account_number })).resolves.toEqual({
			whatever: { account_name: 'ADA OBI' },
		});
		expect(wire.received.map(({ path }) => path)).toEqual([
			'/partner/wallets/fiat/banks',
			'/partner/wallets/fiat/verify-account',
		]);
	});
});

describe('a lost reply of a create', () => {
	it.each([
		['does not show it', success([{ id: 'r2', ...account, account_number: '999' }])],
		['cannot be read', failure(500, {})],
	])('reports an unknown outcome when the list %s, and sends nothing again', async (_, list) => {
		wire.on(CREATE, failure(502, '<html>Bad Gateway</html>')).on(LIST, list);
		const error = await client.recipient.create(account).catch((reason) => reason);
		expect(error).toMatchObject({ code: 'outcome_unknown', retryable: false });
		expect(wire.calls(CREATE)).toHaveLength(1);
	});
});

describe('the list after a reply that was lost', () => {
	const named = { ...account, account_name: 'ADA EZE' } as const;

	it.each<[string, string | null | undefined]>([
		['label', 'Yesterday'],
		['label', null],
		['account_name', 'Ada Obi'],
		['account_name', null],
		['account_number', '0124'],
		['account_number', undefined],
		['bank_code', '059'],
		['bank_code', undefined],
		['currency', 'USD'],
		['recipient_type', 'crypto'],
	])('shows no record with another %s (%j) as the one that was saved', async (name, value) => {
		const earlier = { id: 'r0', ...named, [name]: value };
		wire.on(CREATE, drop).on(LIST, success([earlier]));
		await expect(client.recipient.create(named)).rejects.toMatchObject({ code: 'outcome_unknown' });
		wire.on(LIST, success([earlier, { id: 'r1', ...named }]));
		await expect(client.recipient.create(named)).resolves.toMatchObject({ id: 'r1' });
	});

	it.each(['label', 'account_name'])('shows the record although it leaves its %s out', async (name) => {
		wire.on(CREATE, drop).on(LIST, success([]), success([{ id: 'r1', ...named, [name]: undefined }]));
		await expect(client.recipient.create(named)).resolves.toMatchObject({ id: 'r1' });
	});

	it.each([409, 422])('names the record that has the details already, after %d', async (status) => {
		wire.on(CREATE, failure(status, { message: 'busy' })).on(LIST, success([{ ...saved, label: 'Office' }]));
		const error = await client.recipient.create(account).catch((reason) => reason);
		expect(error).toMatchObject({ serviceMessage: 'busy', details: { recipient_id: 'r1' } });
		expect(error.message).toContain('The recipient Office (r1) has these details already');
	});
});

describe('an answer to a create that does not show the recipient', () => {
	it.each([
		['is empty', {}],
		['shows no identifier', { status: 'ok' }],
		['shows another account', { ...saved, account_number: '9876543210' }],
	])('is found in the list where the answer %s', async (_, answer) => {
		wire.on(CREATE, success(answer, 201)).on(LIST, success([saved]));
		await expect(client.recipient.create(account)).resolves.toMatchObject({ id: 'r1' });
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it.each([
		{ recipient_type: 'FIAT' },
		{ currency: 'ngn' },
		{ account_number: '0123 456 789' },
		{ account_number: '******6789' },
	])('shows the recipient in a spelling of its own: %j', async (spelt) => {
		wire.on(CREATE, success({ ...saved, ...spelt }, 201));
		await expect(client.recipient.create(account)).resolves.toEqual({ ...saved, ...spelt });
		expect(wire.calls(LIST)).toEqual([]);
	});

	it.each([{ recipient_type: 'FIAT' }, { currency: 'ngn' }, { account_number: '0123-456-789' }])(
		'is found in a list that spells it otherwise: %j',
		async (spelt) => {
			wire.on(CREATE, drop).on(LIST, success([{ ...saved, ...spelt }]));
			await expect(client.recipient.create(account)).resolves.toMatchObject({ id: 'r1' });
		},
	);

	it('is not found where the list hides the number, which may be that of another account', async () => {
		wire.on(CREATE, drop).on(LIST, success([{ ...saved, account_number: '******6789' }]));
		await expect(client.recipient.create(account)).rejects.toMatchObject({ code: 'outcome_unknown' });
	});

	it('is of unknown outcome where the list does not show it either', async () => {
		wire.on(CREATE, success({}, 201)).on(LIST, success([]));
		await expect(client.recipient.create(account)).rejects.toMatchObject({ code: 'outcome_unknown' });
	});
});

describe('a recipient that is answered with a failing status', () => {
	it.each(['failed', 'REJECTED', 'denied', 'Error', 'verification_failed'])(
		'is not saved where the status is %s',
		async (status) => {
			wire.on(CREATE, success({ ...saved, status }, 201)).on(LIST, success([]));
			await expect(client.recipient.create(account)).rejects.toMatchObject({ code: 'outcome_unknown' });
			wire.on('PATCH /partner/wallets/recipients/r1', success({ ...saved, status }));
			const changed = client.recipient.update({ recipient_id: 'r1', label: 'home' });
			await expect(changed).rejects.toMatchObject({ code: 'malformed_response' });
		},
	);

	it.each(['active', 'pending_verification'])('is saved with the status %s', async (status) => {
		wire.on(CREATE, success({ ...saved, status }, 201));
		await expect(client.recipient.create(account)).resolves.toMatchObject({ id: 'r1', status });
	});
});

describe('deleting a recipient', () => {
	it.each([
		['an envelope', { body: '{"status":"success","data":{"ok":true}}' }],
		['a body of its own', { body: '{"deleted":"yes"}' }],
		['204 and nothing', { status: 204 }],
		['200 and nothing', { body: '' }],
		['202 and text', { status: 202, body: 'OK' }],
	])('reports a deletion answered with %s in one form', async (_, answer) => {
		wire.on(DELETE, answer).on(LIST, success([]));
		await expect(client.recipient.delete({ recipient_id: 'r1' })).resolves.toEqual({ deleted: true, id: 'r1' });
	});

	it.each([
		{ recipients: [{ id: 'r2' }], count: 2 },
		{ recipients: [{ id: 'r2' }], has_more: true },
		{ recipients: [{ label: 'Rent' }] },
	])('denies no recipient by a list that may hold it: %j', async (data) => {
		wire.on(DELETE, failure(404, { message: 'not found' })).on(LIST, success(data));
		await expect(client.recipient.delete({ recipient_id: 'r1' })).rejects.toMatchObject({ code: 'not_found' });
	});

	it.each([
		[404, 'not found'],
		[400, 'unknown recipient id'],
		[410, 'gone'],
	])('reports a recipient that is already gone (%d, %s) as deleted, and says so', async (status, message) => {
		wire.on(DELETE, drop, failure(status, { message })).on(LIST, success([{ id: 'r2' }]));
		await expect(client.recipient.delete({ recipient_id: 'r1' })).resolves.toEqual({
			deleted: true,
			id: 'r1',
			already_gone: true,
		});
		expect(wire.calls(DELETE)).toHaveLength(2);
	});

	it.each([
		['denies it', success({ deleted: false })],
		['removed none', success({ id: 'r1', removed: false })],
		['counts none', success({ deleted: 0 })],
		['changed no row', success({ success: true, affected: 0 })],
		['only takes it on', success({ deleted: true }, 202)],
		['took it on and says nothing', { status: 202 }],
		['queued it', success({ status: 'queued' })],
		['says in its data that it queued it', success({ queued: true })],
		['shows no data but a no', success(false)],
		['names another one', success({ deleted: true, id: 'r9' })],
		['names another one without data', { body: '{"deleted":true,"recipient_id":"r9"}' }],
	])('lets the list decide whether a recipient is deleted where the service %s', async (_, answer) => {
		wire.on(DELETE, answer).on(LIST, success([{ id: 'r1' }]));
		await expect(client.recipient.delete({ recipient_id: 'r1' })).rejects.toMatchObject({ code: 'malformed_response' });
		wire.on(LIST, success([{ id: 'r2' }]));
		await expect(client.recipient.delete({ recipient_id: 'r1' })).resolves.toEqual({ deleted: true, id: 'r1' });
	});

	it.each([{}, null, { deleted: true, id: 'r1' }, { recipient_id: 'r1', affected: 1 }, { status: 'deleted' }])(
		'takes %j for a deletion, and reads no list',
		async (data) => {
			wire.on(DELETE, success(data));
			await expect(client.recipient.delete({ recipient_id: 'r1' })).resolves.toEqual({ deleted: true, id: 'r1' });
			expect(wire.calls(LIST)).toEqual([]);
		},
	);

	it.each([
		['still holds it', success([{ id: 'r1' }])],
		['holds it in another spelling', success([{ id: 'R1' }])],
		['cannot be read', failure(404, '<html>')],
	])('reports no deletion when the list %s', async (_, list) => {
		wire.on(DELETE, failure(404, {})).on(LIST, list);
		await expect(client.recipient.delete({ recipient_id: 'r1' })).rejects.toMatchObject({ code: 'not_found' });
	});
});

/** Fields which the interface does not show. */
describe('the free fields of a recipient', () => {
	it('checks the free fields like the others, because they are what is sent', async () => {
		const free = { ...account, body: { bank_code: '999' } };
		await expect(client.recipient.create(free)).rejects.toMatchObject({ field: 'bank_code' });
		wire.on(VERIFY, success({ account_name: 'EVE OKO' }));
		const other = { ...account, body: { account_number: '9999999999' } };
		wire.on(CREATE, success({ ...saved, account_number: '9999999999' }, 201));
		await client.recipient.create(other, { options: { verify_account: true } });
		expect(JSON.parse(wire.calls(VERIFY)[0]!.body)).toEqual({ bank_code: '058', account_number: '9999999999' });
		expect(JSON.parse(wire.calls(CREATE)[0]!.body)).toEqual({
			...account,
			account_number: '9999999999',
			account_name: 'EVE OKO',
		});
	});

	it('checks them where a recipient is changed, too: no account loses its zeros on the way', async () => {
		wire.on('PATCH /partner/wallets/recipients/r1', success(saved));
		const update = (body: Record<string, unknown>) => client.recipient.update({ recipient_id: 'r1', body });
		for (const body of [{ account_number: 123456789 }, { bank_code: '999' }, { crypto_address: 'TX yz' }])
			await expect(update(body)).rejects.toMatchObject({ code: 'invalid_input', field: Object.keys(body)[0] });
		await update({ bank_code: 58, account_number: '012 345 6789' });
		expect(wire.calls('PATCH /partner/wallets/recipients/r1').map(({ body }) => body)).toEqual([
			'{"bank_code":"058","account_number":"0123456789"}',
		]);
	});

	it('leaves the recipient that is changed to the form, whatever the free fields name', async () => {
		wire.on('PATCH /partner/wallets/recipients/r1', success(saved));
		await client.recipient.update({ recipient_id: 'r1', body: { recipient_id: 'r2', nickname: 'home' } });
		expect(wire.received.map(({ path, body }) => [path, body])).toEqual([
			['/partner/wallets/recipients/r1', '{"nickname":"home"}'],
		]);
	});

	it('reports an unknown outcome when the list shows another recipient than the free fields made it', async () => {
		wire.on(CREATE, drop).on('GET /partner/wallets/recipients', success([saved]));
		const other = { ...account, body: { account_number: '9999999999' } };
		await expect(client.recipient.create(other)).rejects.toMatchObject({ code: 'outcome_unknown' });
	});
});
