/** Publishes the demo workflows in a local n8n that uses the sandbox beside it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { N8nHost, WorkflowText } from './n8n';
import { SANDBOX_KEY, type SandboxHost } from './sandbox';
import { tell } from './story';

const root = join(__dirname, '..', '..');
const CREDENTIAL_TYPE = 'partnerExchangeApi';
const CREDENTIAL = 'Sandbox';
const DEMOS = ['demo-fills.json', 'demo-balance.json'];

/** Publishes the demos on the first start. On later starts only the addresses of the sandbox are updated. */
export async function publishDemos(n8n: N8nHost, { baseUrl, wsUrl }: SandboxHost): Promise<string[]> {
	const credential = {
		name: CREDENTIAL,
		type: CREDENTIAL_TYPE,
		data: { environment: 'sandbox', apiKey: SANDBOX_KEY, baseUrl, wsUrl },
	};
	const present = await n8n.api<Array<{ id: string }>>('GET', '/rest/workflows');
	if (present.length === 0) return await saveDemos(n8n, await n8n.saveCredential(credential));
	tell('Your workflows of the last start are kept.');
	const credentials = await n8n.api<Array<{ id: string; name: string }>>('GET', '/rest/credentials');
	const saved = credentials.find(({ name }) => name === CREDENTIAL);
	if (saved) await n8n.api('PATCH', `/rest/credentials/${saved.id}`, credential);
	return present.map(({ id }) => id);
}

async function saveDemos(n8n: N8nHost, { id, name }: { id: string; name: string }): Promise<string[]> {
	const credentials = { [CREDENTIAL_TYPE]: { id, name } };
	const workflowIds: string[] = [];
	for (const file of DEMOS) {
		const demo = JSON.parse(await readFile(join(root, 'examples', 'n8n', file), 'utf8')) as WorkflowText;
		const nodes = demo.nodes.map((node) => (node['credentials'] ? { ...node, credentials } : node));
		const workflow = await n8n.saveWorkflow({ ...demo, nodes });
		await n8n.publish(workflow.id);
		workflowIds.push(workflow.id);
	}
	return workflowIds;
}
