/** Where the checkpoint of a node is kept, as it is chosen in the form, and whose it is. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeAPI } from 'node-red';
import { startSandbox } from '@partner-exchange/sandbox';
import { createClient } from '@partner-exchange/core';
import { LOST } from '@partner-exchange/core/adapters';
import { nodePorts } from '@partner-exchange/core/node';
import { newFolder } from '../support/folder';
import type { HostNode } from '../../packages/node-red/src/host/host-node';
import { ownedStore, checkpointStore } from '../../packages/node-red/src/checkpoints/checkpoints';
import { forAll } from '../support/opened';

let folder: string;
/** By context store. */
let contexts: Record<string, Record<string, unknown>>;
let warnings: string[];
beforeEach(() => {
	folder = newFolder();
	contexts = { memory: {}, disk: {} };
	warnings = [];
});

type Done = (error: Error | null, value?: unknown) => void;
/** The node as it starts again, with its checkpoint kept in a file or in a context store. */
function open(store: string, stores: object = { memory: {}, disk: {} }, more: object = {}) {
	const RED = {
		settings: { userDir: folder, contextStorage: stores },
	} as unknown as NodeAPI;
	const context = {
		get: (key: string, at: string, done: Done) => at !== 'stuck' && done(null, contexts[at]![key]),
		set: (key: string, value: unknown, at: string, done: Done) => {
			contexts[at]![key] = JSON.parse(JSON.stringify(value));
			done(null);
		},
	};
	const node = { id: 'listener', warn: (text: string) => warnings.push(text), self: { context: () => context } };
	const owner = { RED, node: node as unknown as HostNode, settings: { store, ...more } as never };
	return { owner, store: checkpointStore(owner, { form: 'one' }) };
}

describe('the place of a checkpoint', () => {
	it('the checkpoint follows its node to another place and back', async () => {
		const first = open('');
		await first.store.load();
		await first.store.save({ at: 1 });
		for (const [place, at] of [
			['disk', 1],
			['', 2],
			['memory', 3],
			['disk', 4],
			['', 5],
		] as const) {
			const { store } = open(place);
			expect(await store.load()).toEqual({ at });
			await store.save({ at: at + 1 });
			expect(await open(place).store.load()).toEqual({ at: at + 1 });
		}
	});

	it('a node begins with new events when its store forgot the checkpoint, and takes no old one from a store it used before', async () => {
		const first = open('');
		await first.store.load();
		await first.store.save({ at: 1 });
		const { store } = open('memory');
		expect(await store.load()).toEqual({ at: 1 });
		await store.save({ at: 2 });
		contexts.memory = {};
		expect(await open('memory').store.load()).toBeUndefined();
	});

	it('the checkpoint is lost, and no first start, where the place it was left in is damaged', async () => {
		const { store } = open('');
		await store.load();
		await store.save({ at: 1 });
		await writeFile(join(folder, 'partner-exchange', 'listener.json'), '{}');
		await expect(open('disk').store.load()).rejects.toThrow(/in \S+listener\.json is damaged/);
		expect(await open('disk', undefined, { lost: 'now' }).store.load()).toBe(LOST);
	});

	it('the checkpoint is found though another place never answers', async () => {
		const { store } = open('', { memory: {}, stuck: {} });
		await store.save({ at: 1 });
		expect(await store.load()).toEqual({ at: 1 });
	});
});

describe('the owner of a checkpoint', () => {
	const sandbox = forAll(() => startSandbox({ clock: 'virtual' }));
	const openedBy = (apiKey: string) => {
		const { baseUrl, wsUrl } = sandbox;
		const client = createClient({ environment: 'sandbox', baseUrl, wsUrl, apiKey }, nodePorts());
		const { owner, store } = open('');
		return ownedStore(store, { ...owner, client });
	};

	it('the checkpoint goes on with another key of its account', async () => {
		const first = openedBy('sandbox-key');
		expect(await first.load()).toBeUndefined();
		// A node that is killed after its first save knows whose it is, too.
		await first.save({ at: 1 });
		expect(await openedBy('sandbox-key-wallet-read').load()).toEqual({ at: 1 });
		expect(warnings).toEqual([]);
	});

	it('the checkpoint of another account is not taken, and the node says so, and it is kept for that account', async () => {
		const first = openedBy('sandbox-key');
		await first.load();
		await first.save({ at: 1 });
		const second = openedBy('sandbox-key-second');
		expect(await second.load()).toBeUndefined();
		expect(warnings).toEqual([expect.stringMatching(/key or the address has changed.*begins from now/)]);
		await second.save({ at: 2 });
		expect(await openedBy('sandbox-key-second').load()).toEqual({ at: 2 });
		expect(await openedBy('sandbox-key').load()).toEqual({ at: 1 });
	});
});
