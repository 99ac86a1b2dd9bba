/** The stream trigger in n8n's engine: how it is activated, what it hands over, and what it tells beside events. */
import { seal } from '@partner-exchange/core/adapters';
import { NodeHelpers, type IDataObject } from 'n8n-workflow';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { until as eventually } from '../support/condition';
import { buildWorkflow } from '../support/engine-host';
import { loadOptions, type Emission, type RunningTrigger } from '../support/engine-trigger';
import { recordOf } from '../../nodes/shared/host/static-data';
import { answer, credentialFor, limitOrder } from './exchange';
import { openTriggers, checkpointIn } from './triggers';

const until = (condition: () => boolean) => eventually(condition, { what: String(condition) });
const orders = { topics: ['user.orders'] };
const trades = { topics: ['trades'], pairs: ['USD/NGN'] };

describe('the stream trigger', () => {
	const { sandbox, fill, listen, workflow } = openTriggers();
	const place = (more: IDataObject = {}) => answer(sandbox(), { ...limitOrder, ...more });
	const reason = async (starting: Promise<unknown>): Promise<{ message: string; description: string }> =>
		await starting.then(
			() => Promise.reject(new Error('It started')),
			(error: { message: string; description: string }) => error,
		);
	const clients = async (): Promise<{ topics: { topic: string }[] }[]> =>
		((await (await fetch(`${sandbox().url}/_sandbox/state`)).json()) as { clients: { topics: { topic: string }[] }[] })
			.clients;
	const topicsAtService = async () => (await clients()).flatMap(({ topics }) => topics.map(({ topic }) => topic));
	const statuses = (trigger: RunningTrigger) => trigger.items().map(({ data }) => (data as IDataObject)['status']);
	const keys = (trigger: RunningTrigger) => trigger.items().map(({ eventKey }) => eventKey);
	/** Holds what carries events. n8n knows the key of an emit without items, which only stores the checkpoint. */
	const holding = (pending: Emission[]) => (each: Emission) =>
		each.items.length === 0 ? each.skip() : void pending.push(each);

	describe('being activated', () => {
		it('fails with one clear message for an unknown key, and stops trying', async () => {
			const { message, description } = await reason(listen({ credential: { apiKey: 'wrong-key' } }));
			expect(message).toContain('does not know this key');
			expect(description).toContain('unauthorized');
			expect(await clients()).toEqual([]);
		});

		it('fails with one clear message for an address that nobody answers', async () => {
			const wsUrl = 'ws://127.0.0.1:1024/v1/ws';
			const noStream = await reason(listen({ credential: { wsUrl, allowDifferentHosts: true } }));
			expect(noStream.message).toContain('The Stream Address does not answer');
			const { message } = await reason(listen({ credential: { wsUrl, baseUrl: 'http://127.0.0.1:1024/v1' } }));
			expect(message).toMatch(/The Stream Address does not answer|Nothing answers at 127\.0\.0\.1:1024/);
		});

		it.each([null, 7, []])('refuses %j as the stored checkpoint, and says what to do', async (damaged) => {
			const staticData = { global: { [recordOf({ id: 'node-0' })]: damaged } } as IDataObject;
			const refused = await reason(listen({ staticData }));
			expect(refused.message).toContain('What n8n stores for this node is damaged');
			expect(refused.description).toContain('Put a copy of the node in its place');
		});

		it('needs a key for private topics before it connects, and none for public trades', async () => {
			const credential = { apiKey: '' };
			const { message } = await reason(listen({ credential, parameters: orders }));
			expect(message).toMatch(/^In the credential \w+, API Key is missing: the topic user.orders needs it/);
			expect(await clients()).toEqual([]);
			const trigger = await listen({ credential, parameters: trades });
			await fill();
			expect((await trigger.waitForItems(1))[0]).toMatchObject({ topic: 'trades.USD_NGN' });
		});

		it.each<[IDataObject, string]>([
			[{ topics: [] }, 'No events are chosen. Choose at least one kind of event'],
			[{ topics: ['trades'] }, 'No pair is chosen for public trades or order books. Choose a pair such as USD/NGN'],
			[{ topics: ['trades'], pairs: ['EUR/ZZZ'] }, 'There is no pair EUR/ZZZ. The service offers USD/NGN'],
			[{ topics: ['trades'], pairs: ['#'] }, 'The service refuses the wildcard topic trades.#'],
			[{ filters: { pair_id: 'USD/NGM' } }, 'There is no pair USD/NGM'],
			[{ filters: { minQuantity: '5' } }, 'There is no option named minQuantity'],
			[{ options: { deliver_missed: false } }, 'There is no option named deliver_missed'],
			[{ options: { side: 'buy' } }, 'There is no option named side'],
			[{ filters: { tries: 5 } }, 'There is no option named tries'],
			[{ filters: { pairs: ['USD/NGN'] } }, 'There is no option named pairs'],
			[{ deliverMissed: false }, 'deliverMissed where nothing reads it'],
			[{ filters: '={{ ({ side: "buy" }) }}' }, 'Filters are written as text or as a list'],
			[{ filters: { side: '={{ undefined }}' } }, 'The expression of Side found nothing. Correct the expression'],
			[{ filters: { min_quantity: '={{ null }}' } }, 'The expression of Minimum Quantity found nothing'],
			[{ topics: ['user.orders'], filters: { status: '={{ [] }}' } }, 'found nothing'],
			[{ filters: { pair_id: '={{ [""] }}' } }, 'found nothing'],
			[{ filters: { pair_id: '={{ "," }}' } }, 'found nothing'],
			[{ filters: { pair_id: '={{ ({ pair: "USD/NGN" }) }}' } }, 'There is no pair [object Object]'],
			[{ options: { tries: '={{ null }}' } }, 'The expression of Tries per Event found nothing'],
			[
				{ filters: { min_quantity: 'lots' } },
				'Minimum Quantity is not a decimal number. Enter a value such as 1000.00',
			],
			[{ options: { tries: '' } }, 'Tries per Event must be a whole number from 1 to 20'],
			[{ options: { pauseSeconds: 0 } }, 'Pause Between Tries (Seconds) must be a whole number from 1 to 300'],
			[{ options: { eventsPerSecond: 'many' } }, 'Events per Second must be a whole number of at least 1'],
			[{ options: { eventsPerExecution: 1.5 } }, 'Events per Execution must be a whole number from 1 to 10000'],
			[{ options: { whenTriesFail: 'never' } }, 'When All Tries Fail must be one of continue, failedEvents, stop'],
			[{ options: { deliverMissed: '' } }, 'Deliver Missed Events is set and empty'],
			[{ options: { connectionNotices: 'perhaps' } }, 'Emit Connection Notices'],
		])(
			'tells a person who publishes the form %j what to do, in the message, of which n8n shows no more',
			async (parameters, words) => {
				expect((await reason(listen({ parameters }))).message).toContain(words);
			},
		);

		it('starts no execution before its activation is complete', async () => {
			let isActive = false;
			const tooEarly: Emission[] = [];
			sandbox().faults.arm({ kind: 'delay', route: 'GET /partner/exchange/fills', delayMs: 300, times: 2 });
			const onEmit = (each: Emission): void => {
				if (!isActive) tooEarly.push(each);
				each.finish();
			};
			const activating = listen({ onEmit }).then((trigger) => ((isActive = true), trigger));
			await eventually(async () => (await topicsAtService()).includes('user.fills'), { what: 'the subscription' });
			await fill();
			await (await activating).waitForItems(1);
			expect(tooEarly).toEqual([]);
		});

		it('shares one connection among all triggers of an account, and gives back what none listens to', async () => {
			const first = await listen();
			const second = await listen({ workflowId: workflow('other') });
			await listen({ workflowId: workflow('third'), parameters: orders });
			expect(await clients()).toHaveLength(1);
			await first.close();
			await fill();
			await second.waitForItems(1);
			expect(first.items()).toEqual([]);
			await second.close();
			await eventually(async () => !(await topicsAtService()).includes('user.fills'), { what: 'the topic given back' });
		});

		it('stops without another connection, also while it reconnects', async () => {
			const trigger = await listen();
			sandbox().faults.arm({ kind: 'refuse-stream', times: 1_000_000 });
			sandbox().faults.arm({ kind: 'drop-stream' });
			await eventually(async () => (await clients()).length === 0, { what: 'a lost connection' });
			// Every attempt is refused, so deactivating would never end if it waited for the stream.
			await trigger.close();
			expect(await clients()).toEqual([]);
		});
	});

	describe('with a form', () => {
		it('takes a pair and an amount as a sheet writes them, and starts executions only for what matches', async () => {
			const filters = { status: ['accepted'], pair_id: 'usdngn', min_quantity: 5.5 };
			const witness = await listen({ parameters: orders, workflowId: workflow('all') });
			const trigger = await listen({ parameters: { ...orders, filters } });
			await place({ quantity: '5.00' });
			const { order_id } = await place({ quantity: '6.00' });
			const [first] = await trigger.waitForItems(1);
			expect(first!['data']).toMatchObject({ status: 'accepted', quantity: '6.00' });
			expect(first).toEqual(
				expect.objectContaining({ seq: expect.any(Number), ts: expect.any(String), delivery: 'live' }),
			);
			expect(keys(trigger)[0]).toContain(String(order_id));
			await until(() => statuses(witness).filter((status) => status === 'accepted').length === 2);
			const { totals } = await answer(sandbox(), { resource: 'stream', operation: 'status' });
			expect((totals as IDataObject)['filtered']).toBe(witness.items().length - 1);
		});

		it('tells an order and its fill with the business key the order was placed under', async () => {
			const trigger = await listen({ parameters: { topics: ['user.orders', 'user.fills'] } });
			const bought = { price: '1500.00', options: { business_key: 'invoice-18' } };
			await place(bought);
			await fill();
			await until(() => trigger.items().some(({ topic }) => topic === 'user.fills'));
			const told = trigger.items().map(({ topic, data }) => [topic, (data as IDataObject)['business_key']].join(' '));
			expect(told).toEqual(expect.arrayContaining(['user.orders invoice-18', 'user.fills invoice-18']));
		});

		it('hands over the fields of an order where an item has its fields, unless asked for the whole', async () => {
			const trigger = await listen({ parameters: { ...orders, output: 'simple' } });
			const { order_id } = await place();
			const [first] = await trigger.waitForItems(1);
			expect(first).toMatchObject({ id: order_id, side: 'buy', quantity: '10.00', topic: 'user.orders' });
			for (const name of ['data', 'seq', 'epoch', 'ts']) expect(first).not.toHaveProperty(name);
		});

		it('hands over each trade of all pairs under its exact topic, once where its pair is chosen too', async () => {
			const pairs = await loadOptions(PartnerExchangeTrigger, 'loadPairs', credentialFor(sandbox()));
			expect(pairs).toEqual([
				{ name: 'All Pairs', value: '*', description: expect.stringContaining('Live only') as string },
				expect.objectContaining({ value: 'USD/NGN' }),
			]);
			const trigger = await listen({ parameters: { ...trades, pairs: ['*', 'USD/NGN'] } });
			await fill();
			await fill();
			const items = await trigger.waitForItems(2);
			expect(items.map(({ topic }) => topic)).toEqual(['trades.USD_NGN', 'trades.USD_NGN']);
			expect(new Set(keys(trigger)).size).toBe(2);
		});

		it('gathers what arrives while the workflow is busy, and moves its checkpoint only when that has run', async () => {
			const pending: Emission[] = [];
			const trigger = await listen({ onEmit: holding(pending) });
			const witness = await listen({ workflowId: workflow('another') });
			const before = checkpointIn(trigger.staticData());
			await fill();
			await until(() => pending.length === 1);
			await fill();
			await fill();
			await witness.waitForItems(3);
			expect(pending).toHaveLength(1);
			expect(checkpointIn(pending[0]!.staticData)).toBe(before);
			pending[0]!.finish();
			await until(() => pending.length === 2);
			expect(pending[1]!.items).toHaveLength(2);
			expect(checkpointIn(pending[1]!.staticData)).not.toBe(before);
			pending[1]!.finish();
		});

		it('waits for the execution in progress when it stops, and stores its end', async () => {
			const pending: Emission[] = [];
			const trigger = await listen({ onEmit: holding(pending) });
			await fill();
			await until(() => pending.length === 1);
			let isStopped = false;
			const stopping = trigger.close().then(() => (isStopped = true));
			await clients();
			expect(isStopped).toBe(false);
			pending[0]!.finish();
			await stopping;
			const next = await listen({ nodeStaticData: trigger.emissions.at(-1)!.staticData });
			await fill();
			await next.waitForItems(1);
			expect(keys(next)).not.toContain(pending[0]!.items[0]!.json['eventKey']);
		});

		it('gives each event an execution of its own where asked, and no more of them a second than asked', async () => {
			const [alone, paced] = [{ eventsPerExecution: 1 }, { eventsPerSecond: 2 }];
			const triggers = [await listen({ form: alone }), await listen({ form: paced, workflowId: workflow('paced') })];
			for (let count = 0; count < 3; count += 1) await fill();
			await until(() => triggers.every(({ items }) => items().length >= 3));
			const [most, mostPaced] = triggers.map(({ emissions }) =>
				Math.max(...emissions.map(({ items }) => items.length)),
			);
			expect([most, mostPaced! <= 2]).toEqual([1, true]);
		});

		/** A trigger that was stopped after one fill, and another one that had the fill after it. */
		async function stoppedWhileFilled(options: Parameters<typeof listen>[0] = {}) {
			const first = await listen(options);
			await fill();
			await first.waitForItems(1);
			await first.close();
			const witness = await listen({ workflowId: workflow('another') });
			await fill();
			await witness.waitForItems(1);
			return { first, witness };
		}

		it('skips missed events where asked, and forgets checkpoints that belong to another account', async () => {
			const { first, witness } = await stoppedWhileFilled();
			const second = await listen({ form: { deliverMissed: false }, nodeStaticData: first.staticData() });
			await fill();
			await witness.waitForItems(2);
			await second.waitForItems(1);
			expect(keys(second)).toEqual(keys(witness).slice(1));
			const topics = { 'user.orders': { epoch: 'x', seq: 9e9 } };
			const foreign = seal({ owner: 'someone@else', checkpoint: { version: 1, topics } }, 1) as unknown as IDataObject;
			const third = await listen({ parameters: orders, nodeStaticData: foreign, workflowId: workflow('foreign') });
			expect(JSON.stringify(third.staticData())).not.toContain('9000000000');
		});

		it('goes on where it stopped after a person has given the node another name', async () => {
			const { first, witness } = await stoppedWhileFilled({ name: 'Fills' });
			const global = { [recordOf({ id: 'node-0' })]: first.staticData() };
			const renamed = await listen({ name: 'My fills', staticData: { global } });
			await renamed.waitForItems(1);
			expect(keys(renamed)).toEqual(keys(witness));
		});

		it('does not tell as new what a narrower filter had rejected', async () => {
			const narrow = await listen({ parameters: { filters: { min_quantity: '5' } } });
			const witness = await listen({ workflowId: workflow('another') });
			// n8n stores what an activation has left, and nothing more until an execution begins.
			const database = narrow.staticData();
			await fill();
			await witness.waitForItems(1);
			await narrow.close();
			const wide = await listen({ nodeStaticData: database });
			await fill();
			expect((await wide.waitForItems(1)).map(({ delivery }) => delivery)).toEqual(['live']);
		});
	});

	describe('tested in the editor', () => {
		it('shows the latest real event and leaves the stored checkpoint alone', async () => {
			const { order_id } = await place();
			const stored = { owner: 'x', checkpoint: { version: 1, topics: {} }, idle: true };
			const trigger = await listen({ mode: 'manual', parameters: orders, nodeStaticData: stored });
			const [event] = await trigger.waitForItems(1);
			expect(event).toMatchObject({ topic: 'user.orders', delivery: 'reconciled' });
			expect(event!['eventKey']).toContain(String(order_id));
			expect(trigger.staticData()).toEqual(stored);
		});

		it('shows the next live event where nothing has happened yet, and takes it from nobody', async () => {
			const published = await listen({ parameters: trades });
			const trigger = await listen({ parameters: trades, mode: 'manual' });
			expect(trigger.emissions).toEqual([]);
			await fill();
			const [event] = await trigger.waitForItems(1);
			await until(() => keys(published).includes(event!['eventKey']));
		});

		it('shows an example on an account without any, marked as one, that passes the filters', async () => {
			const parameters = { ...orders, filters: { side: 'sell', status: ['filled'] }, output: 'simple' };
			const trigger = await listen({ parameters, mode: 'manual' });
			const [shown] = await trigger.waitForItems(1);
			expect(shown).toMatchObject({ example: true, side: 'sell', status: 'filled', eventKey: 'example:user.orders' });
		});
	});

	describe('beside events', () => {
		/** Without a key nothing can be backfilled, so events missed before a new connection are a gap. */
		async function gap(form: IDataObject): Promise<RunningTrigger> {
			const trigger = await listen({ parameters: trades, form, credential: { apiKey: '' } });
			await fill();
			await trigger.waitForItems(1);
			sandbox().faults.arm({ kind: 'drop-stream' });
			sandbox().faults.arm({ kind: 'new-epoch' });
			await until(() => trigger.notices().some(({ kind }) => kind === 'gap'));
			return trigger;
		}
		const status = async (credential = {}) =>
			await answer(sandbox(), { resource: 'stream', operation: 'status' }, { credential });

		it('sends notices through an output of their own, where no node expects an event, and counts them in Stream Status', async () => {
			const trigger = await gap({ whenTriesFail: 'failedEvents' });
			expect(trigger.notices()).toEqual([
				expect.objectContaining({
					kind: 'gap',
					topic: 'trades.USD_NGN',
					data: {
						gap: { after_sequence: 1, before_sequence: null },
						...{ pair: 'USD_NGN', may_be_missing: 'Public Trades after 1', done: 'not_readable' },
					},
				}),
			]);
			expect(trigger.items()).toHaveLength(1);
			expect(trigger.emissions.flatMap(({ failedItems }) => failedItems)).toEqual([]);
			expect(await status({ apiKey: '' })).toMatchObject({
				running: true,
				totals: { gaps: 1, delivered: { live: 1 } },
				topics: [{ topic: 'trades.USD_NGN', gaps: 1 }],
			});
			expect(await status()).toMatchObject({
				running: false,
				text: expect.stringMatching(/runs no stream of this account.*never in a worker/) as string,
			});
		});

		it('reports the connection, where asked, under a topic of its own', async () => {
			const trigger = await gap({ connectionNotices: true });
			const told = trigger.notices().find(({ topic }) => topic === 'connection');
			expect(told).toMatchObject({ data: { kind: 'state' }, eventKey: null });
		});

		it('tells a gap where another version stored its checkpoint, and begins with new events', async () => {
			const { value } = (await listen()).staticData();
			await fill();
			const stored = seal(value, 99) as unknown as IDataObject;
			const trigger = await listen({ nodeStaticData: stored, workflowId: workflow('newer') });
			await until(() => trigger.notices().length === 1);
			expect(trigger.notices()).toMatchObject([
				{ kind: 'gap', data: { done: 'checkpoint_lost', may_be_missing: expect.stringMatching(/^Fills before 20/) } },
			]);
			await fill();
			await until(() => trigger.items().some(({ delivery }) => delivery === 'live'));
		});

		it('has one output more where failed events are asked for', () => {
			const outputs = [{}, { whenTriesFail: 'stop' }, { whenTriesFail: 'failedEvents' }].map((options) => {
				const parameters = { options } as never;
				const made = buildWorkflow([{ type: PartnerExchangeTrigger, parameters }], undefined, {});
				const { description } = new PartnerExchangeTrigger();
				const found = NodeHelpers.getNodeOutputs(made, Object.values(made.nodes)[0]!, description);
				return found.map((output) => (typeof output === 'string' ? output : String(output.displayName)));
			});
			const usual = ['Events', 'Notices'];
			expect(outputs).toEqual([usual, usual, ['Events', 'Failed Events', 'Notices']]);
		});
	});
});
