import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/condition';
import type { DeployType, FlowNode } from '../support/node-red';
import { openCommonBench } from './common-bench';
import { account, call, CONNECTED, node, tab, type Result } from './flows';
import { tradingOn } from './trading';
import { forAll } from '../support/opened';

/** An events node controlled by messages. Its responses leave on the last output. */
describe('control messages of the events node', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const trading = forAll(() => tradingOn(bench.sandbox));

	const settings = { topics: ['user.fills'], pairs: [], control: true, inputs: 1, outputs: 2 };
	const flows = (more: Record<string, unknown> = {}): FlowNode[] => [
		tab,
		account(bench.sandbox),
		...node('listen', 'events', { ...settings, ...more }, 3),
	];
	const deploy = async (more: Record<string, unknown> = {}, type: DeployType = 'full'): Promise<void> =>
		await bench.nodeRed.deploy(flows(more), type);
	const tell = async (action: unknown, payload?: unknown): Promise<Result> =>
		await call(bench.nodeRed, 'listen', { action, ...(payload === undefined ? {} : { payload }) });
	const answerOf = ({ wires, error }: Result): unknown => {
		expect(error).toBeUndefined();
		expect(wires.map(({ port }) => port)).toEqual([1]);
		return wires[0]!.message.payload;
	};
	const events = () =>
		bench.nodeRed.messages
			.filter(({ from, port }) => from === 'listen' && port === 0)
			.map(({ message }) => message as { topic: string; payload: { id: string }; event: { eventKey: string } });
	const ids = (topic: string): string[] =>
		events().flatMap((event) => (event.topic === topic ? [event.payload.id] : []));
	const arrived = async (topic: string, count: number): Promise<void> =>
		void (await until(() => ids(topic).length >= count, {
			what: `${count} events of ${topic}`,
			seen: () => ({ got: events().length, log: bench.nodeRed.log().slice(-800) }),
		}));
	/** Every event of a topic arrived, none of them twice. */
	const came = async (topic: string, count: number): Promise<void> => {
		await arrived(topic, count);
		expect(ids(topic)).toHaveLength(count);
		expect(new Set(ids(topic)).size).toBe(count);
	};
	const stored = async (topic: RegExp): Promise<void> => {
		const file = join(bench.nodeRed.userDir, 'partner-exchange', 'listen.json');
		await until(async () => topic.test(await readFile(file, 'utf8').catch(() => '')), { what: 'a checkpoint' });
	};

	beforeAll(async () => {
		await deploy();
		await bench.nodeRed.waitForStatus('listen', CONNECTED);
		await stored(/user\.fills/);
	});
	afterEach(() => bench.nodeRed.forget());

	it('answers a control message with what the events node listens to, beside the rest of the message', async () => {
		expect(answerOf(await tell('show'))).toEqual({
			...{ listening: true, topics: ['user.fills'], pairs: [], subscribed: ['user.fills'] },
		});
		expect(answerOf(await tell(' START ', 1_700_000_000_000))).toMatchObject({ listening: true });
	});

	it('stops the events node by a control message, and starts it where it stopped', async () => {
		expect(answerOf(await tell('stop'))).toMatchObject({ listening: false, subscribed: [] });
		await bench.nodeRed.waitForStatus('listen', /^stopped · by message$/);
		trading.fills(3);
		expect(events()).toEqual([]);
		expect(answerOf(await tell('start'))).toMatchObject({ listening: true, subscribed: ['user.fills'] });
		await came('user.fills', 3);
	});

	it('changes topics and pairs by a control message as the service lists them, and says so in the status', async () => {
		const answer = await tell('change', { topics: ['trades'], pairs: 'usd/ngn' });
		expect(answerOf(answer)).toMatchObject({ topics: ['trades'], pairs: ['USD/NGN'], subscribed: ['trades.USD_NGN'] });
		await bench.nodeRed.waitForStatus('listen', /^connected · .*by message$/);
		// What a first look at the list shows is old.
		const isLookedAt = () => bench.sandbox.requests.some(({ path }) => path.includes('/trades'));
		await until(isLookedAt, { what: 'the first look at the trades' });
		trading.fills(2);
		await came('trades.USD_NGN', 2);
		expect(ids('user.fills')).toEqual([]);
	});

	it('resumes a topic where it stood that a control message adds again', async () => {
		await tell('change', { topics: ['user.fills', 'trades'] });
		// The two fills made while it was paused.
		await came('user.fills', 2);
		expect(ids('trades.USD_NGN')).toEqual([]);
		trading.fills(1);
		await came('user.fills', 3);
		await came('trades.USD_NGN', 1);
	});

	it.each([
		['an unknown action', 'pause', undefined, /start, stop, change, show.*"pause"/],
		['an unknown topic', 'change', { topics: ['user.fill'] }, /user\.orders, user\.fills.*"user\.fill"/],
		['an unknown pair', 'change', { topics: ['trades'], pairs: ['USD/XYZ'] }, /USD\/XYZ/],
		['a setting there is not', 'change', { topic: 'trades' }, /"topic"/],
	])('refuses a control message with %s by name, and changes nothing', async (_, action, payload, text) => {
		const before = answerOf(await tell('show'));
		const { wires, error } = await tell(action, payload);
		expect(wires).toEqual([]);
		expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(text) });
		expect(answerOf(await tell('show'))).toEqual(before);
	});

	it.each(['full', 'flows', 'nodes'] as const)(
		"keeps a control message's choice over a %s deploy, which repeats nothing",
		async (type) => {
			await deploy({ name: `after ${type}` }, type);
			expect(answerOf(await tell('show'))).toMatchObject({ topics: ['user.fills', 'trades'], pairs: ['USD/NGN'] });
			trading.fills(1);
			await came('user.fills', 1);
		},
	);

	it("keeps a control message's choice over a restart, stopped or not", async () => {
		await tell('stop');
		await bench.nodeRed.restart();
		await bench.nodeRed.waitForStatus('listen', /^stopped · by message$/);
		trading.fills(2);
		expect(answerOf(await tell('start'))).toMatchObject({ subscribed: ['user.fills', 'trades.USD_NGN'] });
		await arrived('user.fills', 2);
	});

	it("forgets a control message's choice when the form chooses something else", async () => {
		await deploy({ topics: ['user.orders'] });
		expect(answerOf(await tell('show'))).toMatchObject({ topics: ['user.orders'], pairs: [] });
		await bench.nodeRed.waitForStatus('listen', /connected$/);
	});

	it("shares the input between control messages and returned messages, and keeps the notices' output", async () => {
		await deploy({ taken: 'back', notices: true, outputs: 3 });
		await bench.nodeRed.waitForStatus('listen', CONNECTED);
		trading.fills(1);
		const back = await until(() => events()[0], { what: 'an event' });
		expect((await call(bench.nodeRed, 'listen', { event: back.event })).error).toBeUndefined();
		const { wires, error } = await tell('show');
		expect(error).toBeUndefined();
		expect(wires).toMatchObject([{ port: 2, message: { payload: { listening: true } } }]);
	});
});
