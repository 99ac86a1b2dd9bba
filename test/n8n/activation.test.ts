import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { until } from '../support/condition';
import {
	loadOptions,
	pollOnce,
	startTrigger,
	type RunningTrigger,
	type TriggerOptions,
} from '../support/engine-trigger';
import { makeFill } from '../support/fills';
import { answer, credentialFor, limitOrder } from './exchange';

let sandbox: Sandbox;
const open: RunningTrigger[] = [];
beforeEach(async () => {
	sandbox = await startSandbox({ keys: [{ key: 'second-key', email: 'second@sandbox.test' }] });
});
afterEach(async () => {
	await Promise.all(open.splice(0).map((trigger) => trigger.close()));
	await sandbox.close();
});

const form = { topics: ['user.orders'], pairs: [], filters: {}, options: {} };

async function listenTo(parameters: IDataObject = {}, options: TriggerOptions = {}, credential: IDataObject = {}) {
	const trigger = await startTrigger(PartnerExchangeTrigger, {
		...credentialFor(sandbox, credential),
		parameters: { ...form, ...parameters },
		...options,
	});
	open.push(trigger);
	return trigger;
}
const reason = async (starting: Promise<unknown>): Promise<{ message: string; description: string }> =>
	await starting.then(
		() => Promise.reject(new Error('It started')),
		(error: { message: string; description: string }) => error,
	);
const connections = async (): Promise<number> => {
	const { clients } = (await (await fetch(`${sandbox.url}/_sandbox/state`)).json()) as { clients: unknown[] };
	return clients.length;
};

describe('activating a stream trigger', () => {
	it('fails to activate a trigger with one clear message for an unknown key, and stops trying (checklist 134)', async () => {
		const { message, description } = await reason(listenTo({}, {}, { apiKey: 'wrong-key' }));
		expect(message).toContain('does not know this key');
		expect(description).toContain('unauthorized');
		expect(open).toEqual([]);
		expect(await connections()).toBe(0);
	});

	it('fails to activate a trigger with one clear message for an address that nobody answers', async () => {
		const noStream = await reason(listenTo({}, {}, { wsUrl: 'ws://127.0.0.1:1024/v1/ws', allowDifferentHosts: true }));
		expect(noStream.message).toContain('The Stream Address does not answer');
		const nowhere = { baseUrl: 'http://127.0.0.1:1024/v1', wsUrl: 'ws://127.0.0.1:1024/v1/ws' };
		const { message } = await reason(listenTo({}, {}, nowhere));
		expect(message).toMatch(/The Stream Address does not answer|Nothing answers at 127\.0\.0\.1:1024/);
	});

	it.each([null, 7, 'text', []])(
		'refuses %j as the stored position of a trigger, and says what to do',
		async (damaged) => {
			const stored = { name: 'Listener', staticData: { 'node:Listener': damaged } as IDataObject };
			const refused = await reason(listenTo({}, stored));
			expect(refused.message).toContain('What n8n stores for this node is damaged');
			expect(refused.description).toContain('Rename the node');
			const polled = pollOnce(PartnerExchangeAlertTrigger, {
				...{ ...credentialFor(sandbox), ...stored, parameters: { event: 'transaction' } },
			});
			expect((await reason(polled)).message).toContain('What n8n stores for this node is damaged');
		},
	);

	it('refuses private topics without a key before it connects (checklist 112)', async () => {
		const { message } = await reason(listenTo({}, {}, { apiKey: '' }));
		expect(message).toMatch(/^In the credential \w+, API Key is missing: the topic user.orders needs it/);
		expect(await connections()).toBe(0);
	});

	it('receives public trades without a key', async () => {
		const trigger = await listenTo({ topics: ['trades'], pairs: ['USD/NGN'] }, {}, { apiKey: '' });
		await answer(sandbox, { ...limitOrder, side: 'sell', price: '1500.00' }, { credential: { apiKey: 'second-key' } });
		await answer(sandbox, { ...limitOrder, order_type: 'market' });
		const [trade] = await trigger.waitForItems(1);
		expect(trade).toMatchObject({ topic: 'trades.USD_NGN' });
	});

	it.each([
		[{ topics: [] }, 'No events are chosen. Choose at least one kind of event'],
		[{ topics: ['trades'] }, 'No pair is chosen for public trades or order books. Choose a pair such as USD/NGN'],
		[{ filters: { min_quantity: 'lots' } }, 'Minimum Quantity is not a decimal number. Enter a value such as 1000.00'],
		[{ topics: ['trades'], pairs: ['EUR/ZZZ'] }, 'There is no pair EUR/ZZZ. The service offers USD/NGN'],
	])(
		'tells a person who publishes a trigger with the form %j what to do, in the message, of which n8n shows no more',
		async (parameters, words) => expect((await reason(listenTo(parameters))).message).toContain(words),
	);

	it('tells a person who publishes an alert trigger what to do in the message', async () => {
		const parameters = { event: 'balance', currency: 'XYZ', threshold: '5', direction: 'below', options: {} };
		const polled = pollOnce(PartnerExchangeAlertTrigger, { ...credentialFor(sandbox), parameters });
		expect((await reason(polled)).message).toContain('The wallet has no balance in XYZ. Choose one of NGN, USD');
	});

	it('shares one connection among all triggers of an account (checklist 131)', async () => {
		const [first, second] = [await listenTo(), await listenTo({ topics: ['user.fills', 'user.orders'] })];
		expect(await connections()).toBe(1);
		await first.close();
		await answer(sandbox, limitOrder);
		await second.waitForItems(1);
	});

	it('stops a trigger without another connection, also while it reconnects (checklist 130)', async () => {
		const trigger = await listenTo();
		sandbox.faults.arm({ kind: 'refuse-stream', times: 1_000_000 });
		sandbox.faults.arm({ kind: 'drop-stream' });
		await until(async () => (await connections()) === 0, { what: 'a lost connection' });
		// Every attempt is refused, so deactivating would never end if it waited for the stream.
		await trigger.close();
		expect(await connections()).toBe(0);
	});

	it('reports the connection, where asked, as items under a topic of their own', async () => {
		const trigger = await listenTo({ options: { connectionNotices: true } });
		sandbox.faults.arm({ kind: 'drop-stream' });
		await until(() => trigger.notices().some(({ topic }) => topic === 'connection'), {
			what: 'a notice',
		});
		expect(trigger.notices()[0]).toMatchObject({ topic: 'connection', data: { kind: 'state' }, eventKey: null });
	});

	it('offers all pairs at once and each pair of the markets list (checklist 2)', async () => {
		const pairs = await loadOptions(PartnerExchangeTrigger, 'loadPairs', credentialFor(sandbox));
		expect(pairs.map(({ value }) => value)).toEqual(['*', 'USD/NGN']);
	});
});

describe('testing a stream trigger in the editor', () => {
	const manual = { mode: 'manual' } as const;

	it('tests a trigger with the latest real event and leaves the stored position alone (checklist 129)', async () => {
		const { order_id } = await answer(sandbox, limitOrder);
		const stored = { owner: 'x', positions: { version: 1, topics: {} }, idle: true };
		const trigger = await listenTo({}, { ...manual, nodeStaticData: stored });
		const [event] = await trigger.waitForItems(1);
		expect(event).toMatchObject({ topic: 'user.orders', delivery: 'reconciled' });
		expect(event!['eventKey']).toContain(String(order_id));
		expect(trigger.staticData()).toEqual(stored);
	});

	it('tests a trigger with the next live event where there is none yet, and takes it from nobody', async () => {
		const everyTrade = { topics: ['trades'], pairs: ['*'] };
		const published = await listenTo(everyTrade);
		const trigger = await listenTo(everyTrade, manual);
		expect(trigger.emissions).toEqual([]);
		await makeFill(sandbox);
		const [event] = await trigger.waitForItems(1);
		await until(() => published.items().some(({ eventKey }) => eventKey === event!['eventKey']), {
			what: 'the same event',
			seen: published.items,
		});
	});
});
