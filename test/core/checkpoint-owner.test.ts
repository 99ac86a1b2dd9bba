/** Whose a stored checkpoint is, where the key of an account changes. */
import { ExchangeError } from '@partner-exchange/core';
import { ownCheckpoint, withAccount, type CheckpointOwner } from '@partner-exchange/core/adapters';

/** A client with a key, whose account shows this deposit account, or fails to. */
function clientOf(apiKey: string, deposit: unknown, baseUrl = 'https://one.test/v1') {
	const asked: string[] = [];
	const account = { environment: 'staging', baseUrl, wsUrl: 'wss://one.test/v1/ws', apiKey } as const;
	const call = async (id: string): Promise<unknown> => {
		asked.push(id);
		await Promise.resolve();
		if (deposit instanceof Error) throw deposit;
		return deposit;
	};
	return { client: { account, call }, asked };
}
const failing = (code: 'forbidden' | 'unreachable' | 'unavailable') => new ExchangeError(code, { what: 'It failed' });
const number = (account_number: string) => ({ account_name: 'Somebody', account_number });

/** What a key finds of the checkpoint that the key `first` of the account `1` stored. */
async function after(key: string, deposit: unknown, first: unknown = number('1')) {
	const before = clientOf('first', first);
	const began = await ownCheckpoint(before.client, undefined, () => undefined);
	const stored = JSON.parse(JSON.stringify(await withAccount(before.client, began.owner))) as CheckpointOwner;
	const now = clientOf(key, deposit);
	return { ...now, stored, ...find(now.client, stored) };
}

/** Whether what was stored with this owner is taken, and what is said of it. */
function find(client: Parameters<typeof ownCheckpoint>[0], owner: unknown) {
	const said: string[] = [];
	const found = ownCheckpoint(client, { owner, at: 1 }, (text) => said.push(text)).then(({ stored }) => ({
		isOwn: stored !== undefined,
		said: said.length,
	}));
	return { found };
}

const ownerOf = async (client: Parameters<typeof ownCheckpoint>[0]) =>
	(await ownCheckpoint(client, undefined, () => undefined)).owner;

describe('a stored checkpoint', () => {
	it('belongs to the same key, and nobody is asked', async () => {
		const { found, asked } = await after('first', failing('unreachable'));
		expect(await found).toEqual({ isOwn: true, said: 0 });
		expect(asked).toEqual([]);
	});

	it('belongs to a new key of the same account', async () => {
		expect(await (await after('second', number('1'))).found).toEqual({ isOwn: true, said: 0 });
	});

	it.each<[string, unknown, unknown]>([
		['of another account', number('2'), number('1')],
		['that may not read whose it is', failing('forbidden'), number('1')],
		['where the first one could not read whose it is', number('1'), failing('forbidden')],
		['where neither could', failing('forbidden'), failing('forbidden')],
		['of which the answer says nothing', {}, {}],
		['whose number is masked, as the first one was', number('******1234'), number('******1234')],
		['whose number is a stand-in, as the first one was', number('0000000000'), number('0000000000')],
	])('does not belong to a key %s', async (_, deposit, first) => {
		const { found } = await after('second', deposit, first);
		expect(await found).toEqual({ isOwn: false, said: 1 });
	});

	it('is neither taken nor given up while no answer comes', async () => {
		const { found } = await after('second', failing('unreachable'));
		await expect(found).rejects.toMatchObject({ code: 'unreachable' });
	});

	it('does not belong to another address, nor to what is no owner', async () => {
		const { stored } = await after('first', number('1'));
		const { client } = clientOf('first', number('1'), 'https://two.test/v1');
		expect(await find(client, stored).found).toEqual({ isOwn: false, said: 1 });
		for (const other of ['first', null, { key: 1 }])
			expect(await find(client, other).found).toEqual({ isOwn: false, said: 1 });
	});

	it('holds no key and no number of an account, and is completed once an answer comes', async () => {
		const { stored } = await after('first', number('1'));
		expect(JSON.stringify(stored)).not.toMatch(/first|Somebody/);
		const { client } = clientOf('first', failing('unreachable'));
		const { owner } = await ownCheckpoint(client, undefined, () => undefined);
		expect(await withAccount(client, owner)).toEqual(owner);
		expect(await withAccount(clientOf('first', number('1')).client, owner)).toEqual(stored);
	});

	it('is kept while another account reads, and taken again where the node is set back to its own', async () => {
		const [first, second] = [clientOf('first', number('1')), clientOf('second', number('2'))];
		const said: string[] = [];
		const find = async (client: typeof first.client, stored: unknown) =>
			await ownCheckpoint(client, JSON.parse(JSON.stringify(stored)) as { owner: unknown; at: number }, (text) =>
				said.push(text),
			);
		const ofFirst = { owner: await ownerOf(first.client), at: 1 };
		const atSecond = await find(second.client, ofFirst);
		expect(atSecond.stored).toBeUndefined();
		const ofSecond = { owner: atSecond.owner, at: 2 };
		const back = await find(first.client, ofSecond);
		expect(back.stored).toMatchObject({ at: 1 });
		expect((await find(second.client, { owner: back.owner, at: 3 })).stored).toMatchObject({ at: 2 });
		expect(said).toHaveLength(1);
		// Two accounts are remembered, and those before are forgotten.
		const third = await find(clientOf('third', number('3')).client, { owner: back.owner, at: 3 });
		expect(JSON.stringify(third.owner).match(/"at"/g)).toHaveLength(1);
	});
});
