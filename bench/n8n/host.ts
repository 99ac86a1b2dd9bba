import type { Sandbox } from '@partner-exchange/sandbox';
import type { Child } from '../../scripts/hosts/child';
import { startN8n, type N8nHost, type WorkflowText } from '../../scripts/hosts/n8n';
import { installN8n } from '../../scripts/hosts/n8n-install';
import { freePort } from '../../scripts/hosts/ports';

export interface Workflow {
	id: string;
	name: string;
}

/** A complete n8n with workflows that listen to fills, to be killed and started again. */
export interface Host {
	workflows: Workflow[];
	api: N8nHost['api'];
	kill(): Promise<void>;
	start(): Promise<void>;
	stop(): Promise<void>;
}

type Node = WorkflowText['nodes'][number];

const end: Node = { name: 'End', type: 'n8n-nodes-base.noOp' };
const pause = {
	name: 'Pause',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	parameters: { amount: 0.3, unit: 'seconds' },
};

export async function openHost(userFolder: string, tarball: string, { baseUrl, wsUrl }: Sandbox): Promise<Host> {
	const { program } = await installN8n((line) => process.stderr.write(`${line}\n`));
	let child: Child | undefined;
	const own = (started: Child): void => void (child = started);
	const boot = async (packages: string[]): Promise<N8nHost> =>
		await startN8n({ program, userFolder, port: await freePort(), packages, own });
	let running = await boot([tarball]).catch(async (error) => {
		await child?.stop('SIGKILL');
		throw error;
	});
	const type = 'partnerExchangeApi';
	const data = { environment: 'sandbox', apiKey: 'sandbox-key', baseUrl, wsUrl };
	const credential = await running.saveCredential({ name: 'Sandbox', type, data });
	const listening = async (name: string, options: object, nodes: Node[]): Promise<Workflow> => {
		const parameters = { topics: ['user.fills'], output: 'whole', options };
		const fills = { name: 'Fills', type: 'n8n-nodes-partner-exchange.partnerExchangeTrigger', parameters };
		const line = [{ ...fills, credentials: { [type]: credential } }, ...nodes];
		const { id } = await running.saveWorkflow({ name, nodes: line, connections: inLine(line) });
		await running.publish(id);
		return { id, name };
	};
	const workflows = [
		await listening('Gathered', {}, [end]),
		await listening('One by one', { eventsPerExecution: 1 }, [end]),
		await listening('Slow', {}, [pause, end]),
	];
	return {
		workflows,
		api: async (...call) => await running.api(...call),
		kill: async () => void (await running.child.stop('SIGKILL')),
		start: async () => void (running = await boot([])),
		stop: async () => void (await child?.stop()),
	};
}

const inLine = (nodes: Node[]): Record<string, unknown> =>
	Object.fromEntries(
		nodes.slice(1).map(({ name }, index) => [nodes[index]!.name, { main: [[{ node: name, type: 'main', index: 0 }]] }]),
	);
