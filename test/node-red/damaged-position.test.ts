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

/** Two generations of a position are on the disk. */
const generations = ['', '.before'];

describe('events nodes whose position files are damaged in one night', () => {
	let bench: Bench;
	let trading: Trading;
	let missed: string;
	/** Each damage of the present generation alone, and of both. */
	const halves = damages.map(([title]) => title);
	const wholes = halves.map((title) => `${title}, both`);
	const all = [...halves, ...wholes];
	const file = (id: string, ending: string): string =>
		join(bench.nodeRed.userDir, 'partner-exchange', `${id}.json${ending}`);
	const flows = (lost = {}) => [
		...[tab, account(bench.sandbox)],
		...all.flatMap((_, at) =>
			node(`listen-${at}`, 'events', { topics: ['user.fills'], notices: true, ...(at < damages.length ? {} : lost) }),
		),
	];
	const idOf = (title: string): string => `listen-${all.indexOf(title)}`;
	const told = <Payload>(title: string, of: number): Payload[] =>
		bench.nodeRed.messages.flatMap(({ from, port, message }) =>
			from === idOf(title) && port === of ? [message.payload as Payload] : [],
		);
	const fills = (title: string): string[] => told<{ id: string }>(title, 0).map(({ id }) => id);

	beforeAll(async () => {
		bench = await openBench({ settings: { orderDelayMs: 0 } });
		trading = tradingOn(bench.sandbox);
		const { nodeRed } = bench;
		await nodeRed.deploy(flows());
		for (const title of all) await nodeRed.waitForStatus(idOf(title), CONNECTED);
		for (const ending of generations) {
			trading.fills(1);
			for (const title of all)
				await until(async () => (await readFile(file(idOf(title), ending), 'utf8').catch(() => '')).includes('kept'), {
					what: `the position${ending} of ${title}`,
				});
		}
		// Nothing is written any more. A kill may come between the two renames of a save, when the last one is missing.
		await nodeRed.kill('SIGTERM');
		const before = await trading.truth();
		trading.fills(1);
		missed = (await trading.truth()).find((id) => !before.includes(id))!;
		for (const title of all)
			for (const ending of wholes.includes(title) ? generations : ['']) {
				const [, change] = damages.find(([name]) => title.split(',')[0] === name)!;
				const path = file(idOf(title), ending);
				await writeFile(path, change(await readFile(path, 'utf8')));
			}
		nodeRed.forget();
		await nodeRed.restart();
	});
	afterAll(async () => await bench?.close());

	it.each(halves)(
		'an events node with a damaged position reads the previous generation and misses nothing: %s',
		async (title) => {
			await until(() => fills(title).includes(missed), { what: 'the missed fill', timeoutMs: 20_000 });
		},
	);

	it('the log says of each that it goes on from the position before', () => {
		const said = bench.nodeRed.log().split('The stored position is damaged; this node goes on from the one before it');
		expect(said).toHaveLength(damages.length + 1);
	});

	it.each(wholes)('an events node says so and skips nothing where both generations are damaged: %s', async (title) => {
		await bench.nodeRed.waitForStatus(idOf(title), /position lost/);
		await until(() => told<{ kind: string }>(title, 1).some(({ kind }) => kind === 'position_lost'), {
			what: 'a notice',
		});
		expect(fills(title)).toEqual([]);
	});

	it('an events node begins with what is new where a person chose so in the form, from the next deploy on', async () => {
		await bench.nodeRed.deploy(flows({ lost: 'now' }));
		for (const title of wholes) await bench.nodeRed.waitForStatus(idOf(title), CONNECTED);
		trading.fills(1);
		for (const title of wholes) {
			await until(() => fills(title).length > 0, { what: `a new fill of ${title}` });
			expect(fills(title)).not.toContain(missed);
		}
	});
});

describe('an events node whose position file is damaged', () => {
	let bench: Bench;
	let trading: Trading;
	const file = (ending = ''): string => join(bench.nodeRed.userDir, 'partner-exchange', `listen.json${ending}`);
	const flows = () => [
		...[tab, account(bench.sandbox)],
		...node('listen', 'events', { topics: ['user.fills'], notices: true }),
	];

	beforeAll(async () => {
		bench = await openBench({ settings: { orderDelayMs: 0 } });
		trading = tradingOn(bench.sandbox);
		await bench.nodeRed.deploy(flows());
		await bench.nodeRed.waitForStatus('listen', CONNECTED);
		for (const ending of generations) {
			trading.fills(1);
			await until(async () => (await readFile(file(ending), 'utf8').catch(() => '')).includes('kept'), {
				what: `the position${ending}`,
			});
		}
	});
	afterAll(async () => await bench?.close());

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

	it('an alerts node reports a damaged position once, and goes on by itself when the file is back', async () => {
		const { nodeRed } = bench;
		const wallet = join(nodeRed.userDir, 'partner-exchange', 'wallet.json');
		await nodeRed.deploy([...flows(), ...node('wallet', 'alerts', { event: 'transaction', seconds: '1' }, 1)]);
		await nodeRed.waitForStatus('wallet', /watching/);
		const sound = await until(async () => await readFile(wallet, 'utf8').catch(() => undefined), { what: 'its state' });
		await nodeRed.kill();
		for (const ending of generations) await writeFile(wallet + ending, '');
		await nodeRed.restart();
		await nodeRed.waitForStatus('wallet', /position lost/);
		await writeFile(wallet, sound);
		await nodeRed.waitForStatus('wallet', /watching/);
		expect(nodeRed.log().split('does not know where it stood')).toHaveLength(2);
	});

	it('an events node starts afresh where a person has removed both files of its position', async () => {
		const { nodeRed } = bench;
		await nodeRed.kill('SIGTERM');
		for (const ending of generations) await rm(file(ending));
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
