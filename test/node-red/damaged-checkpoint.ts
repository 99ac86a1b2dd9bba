/** An events node in a real Node-RED whose checkpoint file the disk has damaged while Node-RED was stopped. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/condition';
import { openCommonBench } from './common-bench';
import { account, CONNECTED, node, tab, call, payloadOf } from './flows';
import { tradingOn } from './trading';
import { forAll } from '../support/opened';

const damages: readonly [string, (text: string) => string][] = [
	['torn', (text) => text.slice(0, text.length / 2)],
	['zeroed', (text) => '\0'.repeat(text.length)],
	['null', () => 'null'],
];

/** Two generations of a checkpoint are on the disk. */
const generations = ['', '.before'];

describe('events nodes whose checkpoint files are damaged in one night', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const trading = forAll(() => tradingOn(bench.sandbox));
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
		const { nodeRed } = bench;
		await nodeRed.deploy(flows());
		for (const title of all) await nodeRed.waitForStatus(idOf(title), CONNECTED);
		for (const ending of generations) {
			trading.fills(1);
			for (const title of all)
				await until(async () => (await readFile(file(idOf(title), ending), 'utf8').catch(() => '')).includes('kept'), {
					what: `the checkpoint${ending} of ${title}`,
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

	it.each(halves)(
		'an events node with a damaged checkpoint reads the previous generation and misses nothing: %s',
		async (title) => {
			await until(() => fills(title).includes(missed), { what: 'the missed fill' });
		},
	);

	it('the log says of each that it goes on from the checkpoint before', () => {
		const said = bench.nodeRed
			.log()
			.split('The stored checkpoint is damaged; this node goes on from the one before it');
		expect(said).toHaveLength(damages.length + 1);
		for (const title of halves) expect(bench.nodeRed.log()).toContain(`may come twice (${file(idOf(title), '')})`);
	});

	it.each(wholes)('an events node says so and skips nothing where both generations are damaged: %s', async (title) => {
		await bench.nodeRed.waitForStatus(idOf(title), /checkpoint lost/);
		await until(() => told<{ kind: string }>(title, 1).some(({ kind }) => kind === 'checkpoint_lost'), {
			what: 'a notice',
		});
		expect(fills(title)).toEqual([]);
		expect(bench.nodeRed.log()).toContain(`The stored checkpoint in ${file(idOf(title), '')} is damaged, and so is`);
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

describe('a Node-RED whose folder cannot be written to', () => {
	const bench = forAll(() => openCommonBench({ marketMaker: false }));
	const folder = (): string => join(bench.nodeRed.userDir, 'partner-exchange');
	const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', price: '1400.00', quantity: '10' };

	beforeAll(async () => {
		await rm(folder(), { recursive: true, force: true });
		await writeFile(folder(), 'a file in the way');
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...node('order-node', 'create-order', order),
			...node('listening', 'events', { topics: ['user.fills'] }),
		]);
	});

	it('sends no order, and says what the disk answered and what to check', async () => {
		const { error } = await call(bench.nodeRed, 'order-node');
		expect(error?.message).toMatch(
			/^Check that .* the folder of the journal may be written to; this run sent nothing.* The journal of open orders cannot be read \(E[A-Z]+\)/,
		);
		expect([...bench.sandbox.engine.state.orders.values()]).toEqual([]);
	});

	it('listens to nothing rather than skip what happened since its checkpoint', async () => {
		await bench.nodeRed.waitForStatus('listening', /not available/);
		expect(bench.nodeRed.log()).toContain(
			`The stored checkpoint in ${join(folder(), 'listening.json')} cannot be read (ENOTDIR)`,
		);
	});

	it('goes on after a deploy once the folder may be written to', async () => {
		await rm(folder());
		await bench.nodeRed.deploy(await bench.nodeRed.api('/flows'));
		await bench.nodeRed.waitForStatus('listening', CONNECTED);
		expect(payloadOf(await call(bench.nodeRed, 'order-node'))).toMatchObject({ side: 'buy' });
	});
});
