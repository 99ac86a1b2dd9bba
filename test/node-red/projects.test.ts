import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { leaksIn } from '../support/canary';
import { everyFile } from '../support/files';
import { startNodeRed, type TestNodeRed } from '../support/node-red';
import { account, call, node, packageFolder, payloadOf, tab } from './flows';

const KEY = 'canary-project-4b7d+key/of=it';
const SECRET = 'secret-of-the-project';
const PROJECT = 'desk';
const settings = { editorTheme: { projects: { enabled: true }, tours: false, palette: { catalogues: [] } } };
const person = { NAME: 'A Person', EMAIL: 'person@example.com' };
const env = Object.fromEntries(
	['AUTHOR', 'COMMITTER'].flatMap((role) =>
		Object.entries(person).map(([what, text]) => [`GIT_${role}_${what}`, text]),
	),
);
const git = async (cwd: string, ...words: string[]): Promise<string> =>
	(await promisify(execFile)('git', words, { cwd })).stdout;

describe('a project of Node-RED', () => {
	let sandbox: Sandbox;
	let first: TestNodeRed;
	let second: TestNodeRed;
	let folder: string;
	const change = async (nodeRed: TestNodeRed, body: object): Promise<unknown> =>
		await nodeRed.api(`/projects/${PROJECT}`, { method: 'PUT', body });

	beforeAll(async () => {
		sandbox = await startSandbox({ seed: 7, keys: [{ key: KEY, email: 'trader@sandbox.test' }] });
		const options = { packages: [packageFolder], settings, env };
		[first, second] = await Promise.all([startNodeRed(options), startNodeRed(options)]);
		folder = join(first.userDir, 'projects', PROJECT);
		const files = { flow: 'flows.json', credentials: 'flows_cred.json' };
		const body = { name: PROJECT, summary: '', credentialSecret: SECRET, files };
		await first.api('/projects', { method: 'POST', body });
		await first.deploy([
			tab,
			account(sandbox, { credentials: { apiKey: KEY } }),
			...node('balances', 'balances', {}, 1),
			...node('listen', 'events', { topics: ['user.fills'] }, 2),
		]);
		await first.api(`/projects/${PROJECT}/stage`, { method: 'POST', body: { files: Object.values(files) } });
		await first.api(`/projects/${PROJECT}/commit`, { method: 'POST', body: { message: 'Add the account' } });
	});
	afterAll(async () => {
		await Promise.all([first.stop(), second.stop()]);
		await sandbox.close();
	});

	it('a project reads with the key of its account', async () => {
		expect(payloadOf(await call(first, 'balances'))).toHaveProperty('balances');
	});

	it('a project has the key in no file, no export and no commit', async () => {
		const history = await git(folder, 'log', '-p', '--all');
		expect(history).toContain('"partner-exchange-account"');
		expect(history).toContain('flows_cred.json');
		const exported = JSON.stringify(await first.api('/flows'));
		expect(leaksIn({ history, exported, files: await everyFile(folder) }, KEY)).toEqual([]);
	});

	it('a project keeps positions and the journal of orders beside it, so that no commit moves them to another machine', async () => {
		await first.waitForStatus('listen', /\bconnected/);
		expect(await git(folder, 'status', '--porcelain')).toBe('');
		expect(await git(folder, 'ls-files')).not.toContain('partner-exchange');
	});

	it('a project runs nothing on a machine without its secret, and works there once the secret is entered', async () => {
		await cp(folder, join(second.userDir, 'projects', PROJECT), { recursive: true });
		await expect(change(second, { active: true })).rejects.toThrow('Failed to decrypt credentials');
		await expect(change(second, { credentialSecret: 'another secret' })).rejects.toThrow('Failed to decrypt');
		expect(second.statuses).toEqual([]);
		await change(second, { credentialSecret: SECRET });
		await second.waitForStatus('listen', /\bconnected/);
		expect(payloadOf(await call(second, 'balances'))).toHaveProperty('balances');
	});
});
