/** Publishes the demo workflows in a local n8n that uses the sandbox beside it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environments } from '@partner-exchange/core/catalogue';
import { hasDemo, tellLastStart } from './demo-folder';
import type { N8nHost, WorkflowText } from './n8n';
import { SANDBOX_KEY, SECOND_SANDBOX_KEY, type SandboxHost } from './sandbox';

const root = join(__dirname, '..', '..');
const CREDENTIAL_TYPE = 'partnerExchangeApi';
/**
 * The demos trade on the second account of the sandbox, so that the reader's fills and balances are the reader's alone.
 * n8n's forms choose the credential that was saved last, so the reader's own comes last.
 */
const CREDENTIALS = [
	{ name: 'Sandbox Demo', apiKey: SECOND_SANDBOX_KEY },
	{ name: 'Sandbox', apiKey: SANDBOX_KEY },
];
const DEMOS = ['demo-fills.json', 'demo-balance.json'];

interface Saved {
	id: string;
	name: string;
}

/** Publishes the demos on the first start. On later starts only the addresses of the sandbox are updated. */
export async function publishDemos(n8n: N8nHost, sandbox: SandboxHost): Promise<string[]> {
	const credentials = await saveCredentials(n8n, sandbox);
	const workflows = await n8n.api<Array<{ id: string }>>('GET', '/rest/workflows');
	const demos = await readDemos();
	if (workflows.length === 0) return await saveDemos(n8n, demos, credentials);
	const ids = workflows.map(({ id }) => id);
	const saved = await Promise.all(ids.map(async (id) => await n8n.api<WorkflowText>('GET', `/rest/workflows/${id}`)));
	tellLastStart('workflows', hasDemo(nodesOf(saved), nodesOf(demos)));
	return ids;
}

const nodesOf = (workflows: readonly WorkflowText[]): WorkflowText['nodes'] => workflows.flatMap(({ nodes }) => nodes);

/** Saves what is missing, and gives all of them the addresses of this start. */
async function saveCredentials(n8n: N8nHost, sandbox: SandboxHost): Promise<Saved[]> {
	const credentials = await n8n.api<Saved[]>('GET', '/rest/credentials');
	const saved: Saved[] = [];
	for (const { name, apiKey } of CREDENTIALS) {
		const credential = {
			name,
			type: CREDENTIAL_TYPE,
			data: { environment: 'sandbox', apiKey, ...addressesOf(sandbox) },
		};
		const same = credentials.find((each) => each.name === name);
		if (same) await n8n.api('PATCH', `/rest/credentials/${same.id}`, credential);
		saved.push(same ?? (await n8n.saveCredential(credential)));
	}
	return saved;
}

type Addresses = Pick<SandboxHost, 'baseUrl' | 'wsUrl'>;
/**
 * The usual addresses are left empty, so that a user who then chooses another environment finds no local address to
 * replace.
 */
export const addressesOf = ({ baseUrl, wsUrl }: Addresses): Addresses =>
	baseUrl === environments.sandbox.baseUrl ? { baseUrl: '', wsUrl: '' } : { baseUrl, wsUrl };

const readDemos = async (): Promise<WorkflowText[]> =>
	await Promise.all(
		DEMOS.map(async (file) => JSON.parse(await readFile(join(root, 'examples', 'n8n', file), 'utf8')) as WorkflowText),
	);

async function saveDemos(n8n: N8nHost, demos: readonly WorkflowText[], saved: readonly Saved[]): Promise<string[]> {
	const workflowIds: string[] = [];
	for (const demo of demos) {
		const workflow = await n8n.saveWorkflow({ ...demo, nodes: demo.nodes.map((node) => withCredential(node, saved)) });
		await n8n.publish(workflow.id);
		workflowIds.push(workflow.id);
	}
	return workflowIds;
}

type Node = WorkflowText['nodes'][number];

/** The saved credential of the name that the example gives. */
function withCredential(node: Node, saved: readonly Saved[]): Node {
	const named = (node['credentials'] as Record<string, { name: string }> | undefined)?.[CREDENTIAL_TYPE];
	const credential = saved.find(({ name }) => name === named?.name);
	return credential
		? { ...node, credentials: { [CREDENTIAL_TYPE]: { id: credential.id, name: credential.name } } }
		: node;
}
