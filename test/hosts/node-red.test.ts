import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNodeRed, type FlowNode, type TestNodeRed } from '../support/node-red';

const runtime = `module.exports = (RED) => {
	RED.nodes.registerType('probe-key', function (config) { RED.nodes.createNode(this, config); }, {
		credentials: { secret: { type: 'password' } },
	});
	RED.nodes.registerType('probe-double', function (config) {
		RED.nodes.createNode(this, config);
		const key = RED.nodes.getNode(config.key);
		this.status({ fill: 'green', shape: 'dot', text: key.credentials.secret.length + ' characters' });
		this.on('input', (msg, send, done) => {
			if (typeof msg.payload !== 'number') return done(Object.assign(new Error('not a number'), { code: 'invalid' }));
			this.context().set('last', msg.payload);
			send({ ...msg, payload: msg.payload * 2 });
			done();
		});
	});
};`;
const editor = `<script type="text/javascript">
	RED.nodes.registerType('probe-key', { category: 'config', defaults: {}, credentials: { secret: { type: 'password' } } });
	RED.nodes.registerType('probe-double', { category: 'function', defaults: { key: { value: '' } }, inputs: 1, outputs: 1 });
</script>`;

const flow: FlowNode[] = [
	{ id: 'probe-tab', type: 'tab', label: 'Probe' },
	{ id: 'the-key', type: 'probe-key', credentials: { secret: 'probe-secret' } },
	{ id: 'doubling', type: 'probe-double', z: 'probe-tab', key: 'the-key', wires: [['the-end']] },
	{ id: 'the-end', type: 'junction', z: 'probe-tab', wires: [[]] },
];

describe('the Node-RED of the tests', () => {
	let folder: string;
	let nodeRed: TestNodeRed;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'probe-package-'));
		await mkdir(join(folder, 'dist'));
		const nodes = { version: '>=5.0.0', nodes: { probe: 'dist/probe.js' } };
		const manifest = { name: '@probe/node-red', version: '1.0.0', files: ['dist'], 'node-red': nodes };
		await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
		await writeFile(join(folder, 'dist', 'probe.js'), runtime);
		await writeFile(join(folder, 'dist', 'probe.html'), editor);
		nodeRed = await startNodeRed({ packages: [folder] });
		await nodeRed.deploy(flow);
	});
	beforeEach(() => nodeRed.forget());
	afterAll(async () => {
		await nodeRed.stop();
		await rm(folder, { recursive: true, force: true });
	});

	it('the Node-RED of the tests sees what a node sends, and that it completed', async () => {
		await nodeRed.send('doubling', { payload: 21, kept: 'yes' });
		const wire = await nodeRed.waitForMessage(({ from }) => from === 'doubling');
		expect(wire.message).toMatchObject({ payload: 42, kept: 'yes' });
		expect(await nodeRed.waitForCompletion('doubling')).toEqual({ node: 'doubling' });
		expect(await nodeRed.context('node/doubling', 'last')).toEqual({ msg: '21', format: 'number' });
	});

	it('the Node-RED of the tests sees the error a node completed with', async () => {
		await nodeRed.send('doubling', { payload: 'a word' });
		const { error } = await nodeRed.waitForCompletion('doubling');
		expect(error).toEqual({ message: 'not a number', code: 'invalid' });
		expect(nodeRed.messages.filter(({ from }) => from === 'doubling')).toEqual([]);
	});

	it.each(['SIGTERM', 'SIGKILL'] as const)(
		'the Node-RED of the tests restarts with flows and credentials after %s',
		async (signal) => {
			await nodeRed.restart(signal);
			const status = await nodeRed.waitForStatus('doubling', /characters/);
			expect(status).toMatchObject({ fill: 'green', text: '12 characters' });
			expect(JSON.stringify(await nodeRed.credentials('probe-key', 'the-key'))).not.toContain('probe-secret');
			expect(nodeRed.log()).not.toContain('probe-secret');
		},
	);
});
