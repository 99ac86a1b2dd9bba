/** What a release has stored for a script, continued by the present core: checkpoint, states of polls, and journal. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as core from '@partner-exchange/core';
import * as node from '@partner-exchange/core/node';
import { newFolder } from '../support/folder';
import { until } from '../support/condition';
import {
	fixtureOf,
	goOn,
	newWorld,
	release,
	startService,
	writeFixture,
	type Service,
} from '../support/stored-release';

const PORT = 47_615;
let service: Service;
let folder: string;
beforeEach(() => void (folder = newFolder()));
afterEach(async () => await service.close());

const OWNER = { address: 'http://127.0.0.1/v1', key: 'digest' };

const intent = (key: string): core.IntentEntry => ({
	...{ key, operation: 'order.create', at: 1_800_000_000_000, account: OWNER },
	fields: { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', price: '1500.00', quantity: '1.00' },
});

/** A script of a release that follows the fills of its account, stores its checkpoint, and polls its transactions. */
function scriptOf({ createClient, createStream, pollTransactions }: typeof core, { nodePorts }: typeof node) {
	const ports = nodePorts();
	const { baseUrl, wsUrl } = service;
	const client = createClient({ environment: 'sandbox', baseUrl, wsUrl, apiKey: 'a-key-of-the-account' }, ports);
	const stream = createStream({ ...ports, account: client.account, client });
	const told: unknown[] = [];
	return {
		told,
		follow: async (checkpoint?: core.StoredCheckpoint) => {
			let latest = checkpoint;
			const subscription = stream.subscribe({
				...{ topics: ['user.fills'], checkpoint },
				deliver: async (events) => void told.push(...events.map(({ kind, data }) => kind ?? (data as core.Item).id)),
				onCheckpoint: (stored) => void (latest = stored),
			});
			await subscription.ready;
			return { close: () => subscription.close(), latest: () => latest };
		},
		poll: async (state: unknown) => await pollTransactions(client, state),
		close: () => stream.close(),
	};
}

/** Plays the release until it has stored something of everything. */
async function play(packed: string): Promise<void> {
	const load = async <T>(name: string): Promise<T> => (await import(join(packed, 'core/dist', name))) as T;
	const world = newWorld();
	service = await startService(PORT, world);
	const ofNode = await load<typeof node>('node.js');
	const script = scriptOf(await load('index.js'), ofNode);
	const { latest, close } = await script.follow();
	service.fill(world.fills[0]!);
	await until(() => script.told.length === 1, { what: 'the fill' });
	await close();
	const { state } = await script.poll(undefined);
	const file = join(folder, 'journal');
	const journal = ofNode.fileJournal(file);
	for (const key of ['unknown', 'placed']) await journal.record(intent(key));
	await journal.close('placed', 'accepted', OWNER);
	await script.close();
	writeFixture('core', { ...world, stored: { checkpoint: latest(), state, journal: readFileSync(file, 'utf8') } });
	await service.close();
}

it('continues from what a script of an earlier release has stored', async () => {
	if (release) await play(release);
	const { stored, ...world } = fixtureOf('core');
	service = await startService(PORT, world);
	goOn(service, world);
	const script = scriptOf(core, node);
	const { close } = await script.follow(stored['checkpoint'] as core.StoredCheckpoint);
	await until(() => script.told.length === 1, { what: 'the missed fill' });
	service.fill(world.missed.later);
	await until(() => script.told.length === 2, { what: 'the later fill' });
	await close();
	expect(script.told).toEqual(['missed', 'later']);
	expect((await script.poll(stored['state'])).events.map(({ eventKey }) => eventKey)).toEqual([
		expect.stringMatching(/^transaction:pending:completed:/),
		expect.stringMatching(/^transaction:missed:completed:/),
	]);
	await script.close();
	const said: string[] = [];
	writeFileSync(join(folder, 'journal'), stored['journal'] as string);
	const journal = node.fileJournal(join(folder, 'journal'), { warn: (text) => said.push(text) });
	expect([await journal.open(), said]).toEqual([[intent('unknown')], []]);
});
