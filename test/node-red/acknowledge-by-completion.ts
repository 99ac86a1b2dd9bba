import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/condition';
import type { FlowNode } from '../support/node-red';
import { openCommonBench } from './common-bench';
import { account, CONNECTED, node, tab } from './flows';
import { tradingOn } from './trading';
import { forAll } from '../support/opened';

/** The flow holds its messages in a delay node that releases one every so many seconds. */
describe('an events node that waits for its messages to complete', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const trading = forAll(() => tradingOn(bench.sandbox));
	const FILLS = 6;

	const slow = (id: string, { name = '', perSecond = '0.001' } = {}): FlowNode[] => [
		{ ...node(id, 'events', { topics: ['user.fills'] }, 0)[0]!, wires: [['id-of']] },
		{
			...{ id: 'id-of', type: 'change', z: tab.id, name, wires: [['queue']] },
			// The message loses its event on the way, as messages of real flows do.
			rules: [
				{ t: 'set', p: 'payload', pt: 'msg', to: 'payload.id', tot: 'msg' },
				{ t: 'delete', p: 'event', pt: 'msg' },
			],
		},
		{
			...{ id: 'queue', type: 'delay', z: tab.id, name, wires: [['keep']] },
			...{
				pauseType: 'rate',
				timeout: '1',
				timeoutUnits: 'seconds',
				rate: '1',
				nbRateUnits: String(1 / Number(perSecond)),
			},
			...{ rateUnits: 'second', drop: false, allowrate: false, outputs: 1 },
		},
		{
			...{ id: 'keep', type: 'file', z: tab.id, filename: join(bench.nodeRed.userDir, `${id}.txt`), wires: [[]] },
			...{ filenameType: 'str', appendNewline: true, overwriteFile: 'false' },
		},
	];
	const recorded = async (id: string): Promise<string[]> =>
		(await readFile(join(bench.nodeRed.userDir, `${id}.txt`), 'utf8').catch(() => '')).split('\n').filter(Boolean);
	const sentTo = (to: string): string[] =>
		bench.nodeRed.messages.filter((wire) => wire.to === to).map(({ message }) => String(message.payload));
	const start = async (id: string, settings = {}): Promise<void> => {
		await bench.nodeRed.deploy([tab, account(bench.sandbox), ...slow(id, settings)]);
		await bench.nodeRed.waitForStatus(id, CONNECTED);
		bench.nodeRed.forget();
	};
	const queued = async (count: number): Promise<unknown> =>
		await until(() => new Set(sentTo('queue')).size >= count, { what: `${count} fills in the queue` });

	it('sends an event again that a deploy dropped from a queue downstream, however long it lay there', async () => {
		await start('queued');
		trading.fills(FILLS);
		await queued(FILLS);
		await until(() => bench.nodeRed.statuses.some(({ text }) => /^waiting for the flow/.test(text ?? '')), {
			what: 'the status of a flow that keeps messages for long',
		});
		const before = sentTo('queue');
		bench.nodeRed.forget();
		await bench.nodeRed.deploy([tab, account(bench.sandbox), ...slow('queued', { name: 'again', perSecond: '1000' })]);
		await until(async () => new Set(await recorded('queued')).size === FILLS, {
			what: 'every fill in the record',
			seen: () => ({ queued: sentTo('queue'), kept: sentTo('keep'), statuses: bench.nodeRed.statuses.slice(-4) }),
		});
		expect(new Set(await recorded('queued'))).toEqual(new Set(before));
	});

	it('stores its checkpoint behind completed events, and repeats only the others after a kill', async () => {
		await start('killed', { perSecond: '1000' });
		trading.fills(2);
		await until(async () => (await recorded('killed')).length === 2, { what: 'two fills in the record' });
		const done = await recorded('killed');
		const file = join(bench.nodeRed.userDir, 'partner-exchange', 'killed.json');
		await until(
			async () => JSON.stringify(JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))).includes('seq'),
			{
				what: 'the checkpoint on the disk',
			},
		);
		await start('killed', { name: 'slow' });
		trading.fills(FILLS);
		await queued(FILLS - 1);
		bench.nodeRed.forget();
		await bench.nodeRed.restart('SIGKILL');
		await queued(FILLS - 1);
		expect(sentTo('queue').filter((id) => done.includes(id))).toEqual([]);
	});

	it('goes on behind a node that throws on every event, and repeats none of them after a restart', async () => {
		// More events, one at a time, than may be under way at once.
		const events = 60;
		await bench.nodeRed.deploy([
			...[tab, account(bench.sandbox)],
			{ ...node('thrown', 'events', { topics: ['user.fills'] }, 0)[0]!, wires: [['thrower']] },
			{ id: 'thrower', type: 'throwing', z: tab.id, wires: [] },
		]);
		await bench.nodeRed.waitForStatus('thrown', CONNECTED);
		bench.nodeRed.forget();
		const fills = () =>
			bench.nodeRed.messages.flatMap(({ to, message }) =>
				to === 'thrower' ? [(message.payload as { id: string }).id] : [],
			);
		for (let count = 1; count <= events; count += 1) {
			trading.fills(1);
			await until(() => fills().length >= count, { what: `fill ${count} of ${events}` });
		}
		await bench.nodeRed.restart();
		await bench.nodeRed.waitForStatus('thrown', CONNECTED);
		trading.fills(1);
		await until(() => fills().length > events, { what: 'the fill after the restart' });
		expect(new Set(fills()).size).toBe(fills().length);
	});

	it('sends an event again when a stop dropped it in one branch of the flow, even if another branch completed it', async () => {
		const [events, ...queue] = slow('twice');
		await bench.nodeRed.deploy([
			...[tab, account(bench.sandbox), { ...events!, wires: [['id-of', 'doubled']] }, ...queue],
			{ id: 'doubled', type: 'function', z: tab.id, func: 'node.done(); node.done();', outputs: 0, wires: [] },
		]);
		await bench.nodeRed.waitForStatus('twice', CONNECTED);
		bench.nodeRed.forget();
		trading.fills(2);
		await queued(2);
		const fill = sentTo('queue').at(-1)!;
		bench.nodeRed.forget();
		await bench.nodeRed.restart('SIGTERM');
		await until(() => sentTo('queue').includes(fill), { what: 'the fill that the delay node held' });
	});
});
