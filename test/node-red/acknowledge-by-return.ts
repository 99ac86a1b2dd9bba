import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/condition';
import type { FlowNode } from '../support/node-red';
import { openCommonBench } from './common-bench';
import { account, call, CONNECTED, node, tab } from './flows';
import { tradingOn } from './trading';
import { forAll } from '../support/opened';

/** The limit the node promises. */
const UNDER_WAY_MAX = 50;

interface Arrived {
	payload: { id: string };
	event: { eventKey: string; seq: number };
}

/** The tests act as the flow: they pass to the node what a wire would return. */
describe('an events node that waits for its messages to return', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const trading = forAll(() => tradingOn(bench.sandbox));

	const listening = (id: string, name = ''): FlowNode[] =>
		node(id, 'events', { name, topics: ['user.fills'], taken: 'back', inputs: 1 }, 1);
	const arrivedAt = (id: string): Arrived[] =>
		bench.nodeRed.messages.filter(({ from }) => from === id).map(({ message }) => message as unknown as Arrived);
	const keysAt = (id: string): string[] => arrivedAt(id).map(({ event }) => event.eventKey);
	const seen = (id: string) => () => ({
		...{ got: arrivedAt(id).length, statuses: bench.nodeRed.statuses.slice(-3) },
		log: bench.nodeRed.log().slice(-800),
	});
	const arrive = async (id: string, count: number): Promise<Arrived[]> =>
		await until(() => (arrivedAt(id).length >= count ? arrivedAt(id) : undefined), {
			...{ what: `${count} events at ${id}`, seen: seen(id) },
		});
	const acknowledge = async (id: string, ...eventKeys: string[]) =>
		await call(bench.nodeRed, id, { event: eventKeys.map((eventKey) => ({ eventKey })) });
	const stored = async (id: string, { event }: Arrived): Promise<void> => {
		const file = join(bench.nodeRed.userDir, 'partner-exchange', `${id}.json`);
		const checkpoint = async (): Promise<number> => {
			const text = await readFile(file, 'utf8').catch(() => '{}');
			const { value } = JSON.parse(text) as {
				value?: { kept: { checkpoint: { topics: Record<string, { value: { seq?: number } }> } } };
			};
			return value?.kept.checkpoint.topics['user.fills']?.value.seq ?? -1;
		};
		await until(async () => (await checkpoint()) >= event.seq, {
			...{ what: `checkpoint ${event.seq} on the disk`, seen: seen(id) },
		});
	};
	const start = async (id: string, flows = listening(id)): Promise<void> => {
		await bench.nodeRed.deploy([tab, account(bench.sandbox), ...flows]);
		await bench.nodeRed.waitForStatus(id, CONNECTED);
		bench.nodeRed.forget();
	};

	it('sends after a kill exactly the messages again that did not return', async () => {
		await start('killed');
		trading.fills(5);
		const [entry, two, ...others] = await arrive('killed', 5);
		await acknowledge('killed', entry!.event.eventKey);
		await acknowledge('killed', two!.event.eventKey);
		await stored('killed', two!);
		bench.nodeRed.forget();
		await bench.nodeRed.restart('SIGKILL');
		await arrive('killed', 3);
		trading.fills(1);
		const [, , , fresh] = await arrive('killed', 4);
		expect(keysAt('killed')).toEqual([...others, fresh!].map(({ event }) => event.eventKey));
	});

	it('sends after a deploy exactly the messages again that did not return, in whatever order the rest did', async () => {
		await start('deployed');
		trading.fills(5);
		await arrive('deployed', 5);
		const [name, two, three, four, five] = keysAt('deployed');
		await acknowledge('deployed', four!, two!);
		bench.nodeRed.forget();
		await bench.nodeRed.deploy([tab, account(bench.sandbox), ...listening('deployed', 'another name')]);
		await arrive('deployed', 3);
		expect(keysAt('deployed')).toEqual([name, three, five]);
		await acknowledge('deployed', five!, three!, name!);
		trading.fills(1);
		const [, , , fresh] = await arrive('deployed', 4);
		await acknowledge('deployed', fresh!.event.eventKey);
		await stored('deployed', fresh!);
		expect(arrivedAt('deployed')).toHaveLength(4);
	});

	it('sends a limited number of messages before the oldest returns', async () => {
		await start('bounded');
		trading.fills(UNDER_WAY_MAX + 10);
		await arrive('bounded', UNDER_WAY_MAX);
		const [first, second, third] = keysAt('bounded');
		await acknowledge('bounded', second!);
		await acknowledge('bounded', first!);
		// Messages wrongly let through beyond the limit would arrive before these two.
		await arrive('bounded', UNDER_WAY_MAX + 2);
		expect(arrivedAt('bounded')).toHaveLength(UNDER_WAY_MAX + 2);
		await acknowledge('bounded', third!);
		await arrive('bounded', UNDER_WAY_MAX + 3);
		expect(arrivedAt('bounded')).toHaveLength(UNDER_WAY_MAX + 3);
	});

	it('says of a returned message without its event what to keep, and goes on waiting', async () => {
		await start('changed');
		trading.fills(1);
		const [only] = await arrive('changed', 1);
		const { error, wires } = await call(bench.nodeRed, 'changed', { payload: only!.payload });
		expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(/Keep msg\.event/) });
		expect(wires).toEqual([]);
		bench.nodeRed.forget();
		await bench.nodeRed.deploy([tab, account(bench.sandbox), ...listening('changed', 'again')]);
		expect((await arrive('changed', 1))[0]!.event.eventKey).toBe(only!.event.eventKey);
	});

	it('shows in the status that no message returns, and when one returns again', async () => {
		await start('unwired');
		trading.fills(2);
		await arrive('unwired', 2);
		const waiting = await bench.nodeRed.waitForStatus('unwired', /^waiting for the flow/);
		expect(waiting).toMatchObject({ fill: 'yellow', shape: 'ring', text: 'waiting for the flow · 2 under way' });
		await acknowledge('unwired', ...keysAt('unwired'));
		expect(await bench.nodeRed.waitForStatus('unwired', CONNECTED)).toMatchObject({ fill: 'green' });
	});
});
