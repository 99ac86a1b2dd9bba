/** An events node in a real Node-RED whose position file the disk has damaged while Node-RED was stopped. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/condition';
import { account, CONNECTED, node, openBench, tab, type Bench, call, payloadOf } from './flows';
import { tradingOn, type Trading } from './trading';

const damages: readonly [string, (text: string) => string][] = [
	['torn', (text) => text.slice(0, text.length / 2)],
	['empty', () => ''],
	['zeroed', (text) => '\0'.repeat(text.length)],
	['{}', () => '{}'],
	['null', () => 'null'],
];

describe('an events node whose position file is damaged', () => {
	let bench: Bench;
	let trading: Trading;
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
	/** Two generations of the position are on the disk. */
	const stored = async (): Promise<void> => {
		const text = async (ending: string) => await readFile(file(ending), 'utf8').catch(() => '');
		for (const ending of ['', '.before']) {
			trading.fills(1);
			await until(async () => (await text(ending)).includes('kept'), { what: `the position${ending}` });
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
		bench = await openBench({ settings: { orderDelayMs: 0 } });
		trading = tradingOn(bench.sandbox);
		await bench.nodeRed.deploy(flows());
		await bench.nodeRed.waitForStatus('listen', CONNECTED);
		await stored();
	});
	afterEach(async () => await bench.close());

	it.each(damages)(
		'an events node with a damaged position reads the previous generation and misses nothing: %s',
		async (_title, change) => {
			const missed = await damage(change, ['']);
			await until(() => fills().includes(missed), { what: 'the missed fill', timeoutMs: 20_000 });
			expect(bench.nodeRed.log()).toContain('The stored position is damaged; this node goes on from the one before it');
		},
	);

	it.each(damages)(
		'an events node says so and skips nothing where both generations of its position are damaged: %s',
		async (_title, change) => {
			const { nodeRed } = bench;
			const missed = await damage(change, ['', '.before']);
			await nodeRed.waitForStatus('listen', /position lost/);
			await until(() => notices().some(({ kind }) => kind === 'position_lost'), { what: 'a notice' });
			expect(fills()).toEqual([]);
			// What a person chooses in the form holds from the next deploy on.
			await nodeRed.deploy(flows({ lost: 'now' }));
			await nodeRed.waitForStatus('listen', CONNECTED);
			trading.fills(1);
			await until(() => fills().length > 0, { what: 'a new fill' });
			expect(fills()).not.toContain(missed);
		},
	);

	it('an events node shows below it that its position cannot be stored, until it can', async () => {
		const { nodeRed } = bench;
		await nodeRed.waitForStatus('listen', /^connected · \d+$/);
		// A folder that is not empty cannot be replaced by a file.
		await rm(file());
		await mkdir(file());
		await writeFile(join(file(), 'in the way'), '');
		trading.fills(1);
		await nodeRed.waitForStatus('listen', /^connected · not stored$/);
		await rm(file(), { recursive: true });
		await nodeRed.waitForStatus('listen', /^connected · \d+$/);
		expect(await readFile(file(), 'utf8')).toContain('kept');
	});

	it('a alerts node reports a damaged position once, and goes on by itself when the file is back', async () => {
		const { nodeRed } = bench;
		const wallet = join(nodeRed.userDir, 'partner-exchange', 'wallet.json');
		await nodeRed.deploy([...flows(), ...node('wallet', 'alerts', { event: 'transaction', seconds: '1' }, 1)]);
		await nodeRed.waitForStatus('wallet', /watching/);
		const sound = await until(async () => await readFile(wallet, 'utf8').catch(() => undefined), { what: 'its state' });
		await nodeRed.kill();
		for (const ending of ['', '.before']) await writeFile(wallet + ending, '');
		await nodeRed.restart();
		await nodeRed.waitForStatus('wallet', /position lost/);
		await writeFile(wallet, sound);
		await nodeRed.waitForStatus('wallet', /watching/);
		expect(nodeRed.log().split('does not know where it stood')).toHaveLength(2);
	});

	it('an events node starts afresh where a person has removed both files of its position', async () => {
		const { nodeRed } = bench;
		await end();
		for (const ending of ['', '.before']) await rm(file(ending));
		await nodeRed.restart();
		await nodeRed.waitForStatus('listen', CONNECTED);
	});
});

describe('a Node-RED whose folder cannot be written to', () => {
	let bench: Bench;
	const folder = (): string => join(bench.nodeRed.userDir, 'partner-exchange');
	const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', price: '1400.00', quantity: '10' };

	beforeAll(async () => {
		bench = await openBench({ marketMaker: false });
		await writeFile(folder(), 'a file in the way');
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...node('order-node', 'create-order', order),
			...node('listening', 'events', { topics: ['user.fills'] }),
		]);
	});
	afterAll(async () => await bench?.close());

	it('sends no order, and says what the disk answered and what to check', async () => {
		const { error } = await call(bench.nodeRed, 'order-node');
		expect(error?.message).toMatch(
			/^The journal of open orders cannot be read \(E[A-Z]+\)\. Check that .* the folder of the journal may be written to; this run sent nothing/,
		);
		expect([...bench.sandbox.engine.state.orders.values()]).toEqual([]);
	});

	it('listens to nothing rather than skip what happened since its position', async () => {
		await bench.nodeRed.waitForStatus('listening', /not available/);
		expect(bench.nodeRed.log()).toContain('The stored position cannot be read (ENOTDIR)');
	});

	it('goes on after a deploy once the folder may be written to', async () => {
		await rm(folder());
		await bench.nodeRed.deploy(await bench.nodeRed.api('/flows'));
		await bench.nodeRed.waitForStatus('listening', CONNECTED);
		expect(payloadOf(await call(bench.nodeRed, 'order-node'))).toMatchObject({ side: 'buy' });
	});
});
