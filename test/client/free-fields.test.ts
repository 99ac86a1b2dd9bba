/** The free fields of a recipient, which the interface does not show. */
import { drop, success, useWire } from '../support/wire';
import { account, CREATE, VERIFY } from './recipient-stage';

const saved = { id: 'r1', ...account };

const { wire, client } = useWire();
beforeEach(() => {
	wire.on('GET /partner/wallets/fiat/banks', success([{ code: '058', name: 'Guaranty Trust' }]));
	wire.on(CREATE, success(saved, 201));
});

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
