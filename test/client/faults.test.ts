import { createClient } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox, type FaultKind } from '@partner-exchange/sandbox';
import { accountOf } from '../support/placing';
import { quickClock, useWarnings } from '../support/wire';
import { forEach } from '../support/opened';

const account = { recipient_type: 'crypto', currency: 'USDT', label: 'Cold', chain: 'TRON' } as const;

const sandbox = forEach(() => startSandbox({ seed: 7 }));
// The sockets are real; only the waits are skipped.
const client = forEach(() => createClient(accountOf(sandbox), { ...nodePorts(), clock: quickClock() }));
const { warnings, context } = useWarnings();

const address = 'TAbcdefghijkmnopqrstuvwxyz12345678';
const create = () => client.recipient.create({ ...account, crypto_address: address }, context);
const saved = async () => {
	const items = [];
	for await (const item of client.items('recipient.list', {})) if (item.crypto_address === address) items.push(item);
	return items;
};

describe('a recipient', () => {
	it.each<FaultKind>(['commit-then-drop', 'commit-then-502', 'truncate'])(
		'saves a recipient once when the service says %s, and finds it by reading',
		async (kind) => {
			sandbox.faults.arm({ kind, operation: 'recipient.create' });
			await expect(create()).resolves.toMatchObject({ crypto_address: address });
			expect(warnings.map(({ kind: of }) => of)).toContain('recovered');
			expect(await saved()).toHaveLength(1);
		},
	);

	it.each<FaultKind>(['drop-before-commit', 'html-502', 'server-error'])(
		'stays unknown and unsaved when the service says %s, and is not sent again',
		async (kind) => {
			sandbox.faults.arm({ kind, operation: 'recipient.create' });
			await expect(create()).rejects.toMatchObject({ code: 'outcome_unknown' });
			expect(await saved()).toEqual([]);
			await expect(create()).resolves.toMatchObject({ crypto_address: address });
		},
	);
});

describe('a read', () => {
	it.each<FaultKind>(['drop-before-commit', 'truncate', 'html-502', 'server-error', 'too-many-requests'])(
		'repeats a read after %s and answers it',
		async (kind) => {
			sandbox.faults.arm({ kind, operation: 'wallet.balances', times: 2 });
			await expect(client.wallet.balances({})).resolves.toHaveProperty('balances');
			expect(sandbox.faults.fired).toHaveLength(2);
		},
	);

	it.each<[FaultKind, string]>([
		['unauthorized', 'unauthorized'],
		['forbidden', 'forbidden'],
	])('repeats no read after %s', async (kind, code) => {
		sandbox.faults.arm({ kind, operation: 'wallet.balances', times: 2 });
		await expect(client.wallet.balances({})).rejects.toMatchObject({ code });
		expect(sandbox.faults.fired).toHaveLength(1);
	});

	it('says what failed when a read fails every time', async () => {
		sandbox.faults.arm({ kind: 'server-error', operation: 'wallet.balances', times: 10 });
		await expect(client.wallet.balances({})).rejects.toMatchObject({
			code: 'unavailable',
			status: 500,
			retryable: true,
		});
		expect(sandbox.faults.fired).toHaveLength(5);
	});
});

describe('a deposit', () => {
	it('names the unknown account of a deposit by its email', async () => {
		const deposit = client.simulation.fiatDeposit({ email: 'nobody@sandbox.test', amount: '1.00', currency: 'NGN' });
		await expect(deposit).rejects.toMatchObject({
			code: 'not_found',
			advice: expect.stringContaining('Check the email'),
		});
	});
});
