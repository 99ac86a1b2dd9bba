/** The files that a release has stored in Node-RED, continued by the present nodes: nothing is lost or comes twice. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/condition';
import { startNodeRed, type TestNodeRed } from '../support/node-red';
import {
	fixtureOf,
	goOn,
	newWorld,
	release,
	startService,
	writeFixture,
	type Service,
} from '../support/stored-release';
import { account, CONNECTED, node, packageFolder, tab } from './flows';

const PORT = 47_614;
let service: Service;
let nodeRed: TestNodeRed;
afterEach(async () => {
	await nodeRed.stop();
	await service.close();
});

const flows = () => [
	...[tab, account(service)],
	...node('listen', 'events', { topics: ['user.fills'] }, 1),
	...node('alerts', 'alerts', { event: 'transaction', seconds: '1' }, 1),
];
const folder = (): string => join(nodeRed.userDir, 'partner-exchange');
const told = (from: string): unknown[] =>
	nodeRed.messages.filter((wire) => wire.from === from).map(({ message }) => (message.payload as { id: unknown }).id);
const begun = async (): Promise<void> => {
	await nodeRed.deploy(flows());
	await nodeRed.waitForStatus('listen', CONNECTED);
	await nodeRed.waitForStatus('alerts', /watching/);
};

/** Plays the release until both nodes have stored what there is. */
async function play(packed: string): Promise<void> {
	const world = newWorld();
	service = await startService(PORT, world);
	nodeRed = await startNodeRed({ packages: [join(packed, 'node-red.tgz')] });
	await begun();
	service.fill(world.fills[0]!);
	await until(() => told('listen').length === 1, { what: 'the fill' });
	await until(async () => (await readdir(folder())).includes('alerts.json'), { what: 'both files' });
	await nodeRed.kill('SIGTERM');
	const stored: Record<string, string> = {};
	for (const name of ['listen.json', 'alerts.json']) stored[name] = await readFile(join(folder(), name), 'utf8');
	writeFixture('node-red', { ...world, stored });
	await nodeRed.stop();
	await service.close();
}

it('continues from the files that an earlier release has stored', async () => {
	if (release) await play(release);
	const { stored, ...world } = fixtureOf('node-red');
	service = await startService(PORT, world);
	goOn(service, world);
	nodeRed = await startNodeRed({ packages: [packageFolder] });
	await mkdir(folder(), { recursive: true });
	for (const [name, text] of Object.entries(stored)) await writeFile(join(folder(), name), text as string);
	await begun();
	await until(() => told('listen').length === 1, { what: 'the missed fill' });
	service.fill(world.missed.later);
	await until(() => told('listen').length === 2, { what: 'the later fill' });
	await until(() => told('alerts').length === 2, { what: 'the transactions' });
	expect([told('listen'), told('alerts')]).toEqual([
		['missed', 'later'],
		['pending', 'missed'],
	]);
});
