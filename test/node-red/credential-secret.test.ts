import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { startNodeRed, type NodeRedHost } from '../../scripts/hosts/node-red';
import { freePort } from '../../scripts/hosts/ports';
import { until } from '../support/condition';
import { tarballOf } from '../support/tarball';
import { account, node, packageFolder, tab } from './flows';

const FIRST = { credentialSecret: 'the secret of last year' };
const SECOND = { credentialSecret: 'another secret' };

describe('a Node-RED whose credentialSecret has changed', () => {
	let sandbox: Sandbox;
	let userDir: string;
	let running: NodeRedHost | undefined;
	const boot = async (settings: object, packages: string[] = []): Promise<NodeRedHost> => {
		await running?.child.stop();
		const port = await freePort();
		running = await startNodeRed({ userDir, port, packages, settings: { ...settings } });
		return running;
	};
	const missesKey = async ({ child }: NodeRedHost): Promise<void> =>
		void (await until(() => child.log().includes('API Key is missing: the topic user.fills needs it'), {
			what: 'the missing key in the log',
		}));
	const connections = async (): Promise<number> => {
		const { clients } = (await (await fetch(`${sandbox.url}/_sandbox/state`)).json()) as { clients: unknown[] };
		return clients.length;
	};
	const listens = async (): Promise<void> =>
		void (await until(async () => (await connections()) === 1, { what: 'the stream to be connected' }));

	beforeAll(async () => {
		sandbox = await startSandbox({ seed: 7 });
		userDir = await mkdtemp(join(tmpdir(), 'node-red-'));
		const first = await boot(FIRST, [await tarballOf(packageFolder)]);
		await first.deploy([tab, account(sandbox), ...node('listen', 'events', { topics: ['user.fills'] }, 2)]);
		await listens();
	});
	afterAll(async () => {
		await running?.child.stop();
		await rm(userDir, { recursive: true, force: true, maxRetries: 3 });
		await sandbox.close();
	});

	it('an account sends nothing with a changed credentialSecret, and says that the key is missing', async () => {
		await running!.child.stop();
		const before = sandbox.requests.length;
		const nodeRed = await boot(SECOND);
		await missesKey(nodeRed);
		expect(sandbox.requests.slice(before)).toEqual([]);
		expect(await connections()).toBe(0);
	});

	it('an account works again with the earlier credentialSecret, if nothing was deployed in between', async () => {
		await boot(FIRST);
		await listens();
	});

	it('an account loses its key to a deploy with a changed credentialSecret, and works once the key is entered again', async () => {
		const changed = await boot(SECOND);
		const nodes = await changed.api<Parameters<NodeRedHost['deploy']>[0]>('/flows');
		await changed.deploy(nodes);
		await missesKey(await boot(FIRST));
		await running!.deploy(nodes.map((each) => (each.id === 'account-one' ? account(sandbox) : each)));
		await listens();
	});
});
