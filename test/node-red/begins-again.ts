/** An events node in a real Node-RED whose stored checkpoint, key or filter is another one than before. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seal } from '@partner-exchange/core/adapters';
import { until } from '../support/condition';
import { openCommonBench } from './common-bench';
import { account, call, CONNECTED, node, payloadOf, tab } from './flows';
import { tradingOn } from './trading';
import { forEach } from '../support/opened';

interface Sealed {
	value: unknown;
}

describe('an events node that cannot begin as it did before', () => {
	const bench = forEach(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const trading = forEach(() => tradingOn(bench.sandbox));
	const file = (ending = ''): string => join(bench.nodeRed.userDir, 'partner-exchange', `listen.json${ending}`);
	const flows = (more: Record<string, unknown> = {}) => [
		...[tab, account(bench.sandbox)],
		...node('listen', 'events', { topics: ['user.fills'], notices: true, ...more }),
	];
	const fills = (): string[] =>
		bench.nodeRed.messages.flatMap(({ from, port, message }) =>
			from === 'listen' && port === 0 ? [(message.payload as { id: string }).id] : [],
		);
	const notices = () =>
		bench.nodeRed.messages.flatMap(({ from, port, message }) =>
			from === 'listen' && port === 1 ? [message.payload as { kind: string; text: string }] : [],
		);
	const gaps = () =>
		bench.nodeRed.messages
			.map(({ message }) => message.payload as { done?: string })
			.filter((payload) => payload?.done === 'checkpoint_lost');
	/** A save has no file for a moment between its two renames. */
	const text = async (ending = '') => await readFile(file(ending), 'utf8').catch(() => '');
	/** Two generations of the checkpoint are on the disk. */
	const stored = async (): Promise<void> => {
		for (const ending of ['', '.before']) {
			trading.fills(1);
			await until(async () => (await text(ending)).includes('kept'), { what: `the checkpoint${ending}` });
		}
	};
	/** Nothing is written any more. A kill may come between the two renames of a save, when the last one is missing. */
	const end = async () => await bench.nodeRed.kill('SIGTERM');
	/** Stops Node-RED, has a fill happen, damages files, starts it again, and returns the fill that was missed. */
	const damage = async (change: (text: string) => string, endings: readonly string[]): Promise<string> => {
		const { nodeRed } = bench;
		await end();
		const before = await trading.truth();
		trading.fills(1);
		const missed = (await trading.truth()).find((id) => !before.includes(id));
		for (const ending of endings) await writeFile(file(ending), change(await readFile(file(ending), 'utf8')));
		nodeRed.forget();
		await nodeRed.restart();
		return missed!;
	};

	beforeEach(async () => {
		await bench.nodeRed.deploy(flows());
		await bench.nodeRed.waitForStatus('listen', CONNECTED);
		await stored();
	});

	it('an events node begins with new events where another version stored its checkpoint, and tells a gap', async () => {
		await damage((text) => JSON.stringify(seal((JSON.parse(text) as Sealed).value, 99)), ['', '.before']);
		await until(() => gaps().length === 1, { what: 'the gap' });
		expect(gaps()).toEqual([expect.objectContaining({ may_be_missing: expect.stringMatching(/^Fills before 20/) })]);
		expect(notices().map(({ kind, text }) => [kind, text])).toContainEqual([
			'checkpoint_lost',
			expect.stringContaining('another version'),
		]);
		const before = await trading.truth();
		trading.fills(1);
		const fresh = (await trading.truth()).find((id) => !before.includes(id));
		// The service dates its replies by the second, so what happened in the second of the start may come too.
		await until(() => fills().includes(fresh!), { what: 'the new fill' });
		expect(bench.nodeRed.log()).toContain('of another version or damaged, and is not read; delivery began from now');
	});

	it('an events node whose key changed while the service gives no answer goes on by itself, and misses nothing', async () => {
		const { nodeRed, sandbox } = bench;
		await until(async () => /"account":"[0-9a-f]{16}"/.test(await text()), { what: 'whose it is' });
		const before = await trading.truth();
		sandbox.faults.arm({ kind: 'refuse', operation: 'wallet.depositAccount', times: 100 });
		const [first, , ...rest] = flows();
		await nodeRed.deploy([first!, account(sandbox, { credentials: { apiKey: 'sandbox-key-read' } }), ...rest]);
		await nodeRed.waitForStatus('listen', /unavailable|not answer|limit/);
		trading.fills(1);
		const missed = (await trading.truth()).find((id) => !before.includes(id))!;
		nodeRed.forget();
		sandbox.faults.disarm();
		await until(() => fills().includes(missed), { what: 'the missed fill' });
		expect(fills()).toEqual([missed]);
	});

	it('an events node tells nothing as new that a narrower filter had rejected', async () => {
		const { nodeRed } = bench;
		const filtered = async () =>
			payloadOf<{ totals: { filtered: number } }>(await call(nodeRed, 'asking')).totals.filtered;
		nodeRed.forget();
		await nodeRed.deploy([...flows({ minQuantity: '5' }), ...node('asking', 'stream-status', {}, 1)]);
		await nodeRed.waitForStatus('listen', CONNECTED);
		const before = await trading.truth();
		trading.fills(2);
		await until(async () => (await filtered()) === 2, { what: 'the filter' });
		const rejected = (await trading.truth()).filter((id) => !before.includes(id));
		nodeRed.forget();
		await nodeRed.deploy(flows());
		await nodeRed.waitForStatus('listen', CONNECTED);
		trading.fills(1);
		const last = (await trading.truth()).find((id) => ![...before, ...rejected].includes(id))!;
		await until(() => fills().includes(last), { what: 'the new fill' });
		expect(fills()).toEqual([last]);
	});
});
