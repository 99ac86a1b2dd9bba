/**
 * The environment n8n's engine expects around a workflow, reduced to what tests need: no database, server or editor.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExecutionLifecycleHooks } from 'n8n-core';
import { isExpression, Workflow } from 'n8n-workflow';
import type {
	IConnections,
	ICredentialDataDecryptedObject,
	ICredentialType,
	ICredentialsHelper,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeParameters,
	INodeType,
	INodeTypes,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

// The engine reads these when it first needs an instance ID; without them it would write to the home folder.
const folder = mkdtempSync(join(tmpdir(), 'engine-'));
const discard = (): void => rmSync(folder, { recursive: true, force: true });
// Jest does not forward the exit event to test files, so the folder is removed after the last test of the file.
if (typeof afterAll === 'function') afterAll(discard);
else process.once('exit', discard);
process.env['N8N_USER_FOLDER'] = folder;
process.env['N8N_ENCRYPTION_KEY'] ??= 'engine-test-key';
process.env['N8N_LOG_LEVEL'] ??= 'silent';

export type NodeClass = new () => INodeType;
type CredentialClass = new () => ICredentialType;

export interface EngineNode {
	type: NodeClass;
	/** Unique in the workflow; the type's default name if omitted. */
	name?: string;
	parameters?: INodeParameters;
	/**
	 * The Settings tab: `onError`, `retryOnFail`, `maxTries`, `waitBetweenTries` (0 means n8n's default of a second, so
	 * use 1)...
	 */
	settings?: Partial<INode>;
}

export interface EngineOptions {
	/** Decrypted credential data by credential type name. */
	credentials?: Record<string, ICredentialDataDecryptedObject>;
	/** Needed only by nodes that call `httpRequestWithAuthentication`. */
	credentialTypes?: CredentialClass[];
	workflowId?: string;
	executionId?: string;
	/** What n8n has stored of other executions, by their ids. */
	executions?: Readonly<Record<string, Partial<IRunExecutionData>>>;
	/** Static data as loaded from the database: `{ 'node:<name>': {...} }`. */
	staticData?: IDataObject;
}

export function buildWorkflow(
	nodes: EngineNode[],
	connections: IConnections | undefined,
	options: EngineOptions,
): Workflow {
	const types = new Map(nodes.map(({ type }) => [type, new type()]));
	const byName = new Map([...types.values()].map((instance) => [instance.description.name, instance]));
	const placed = nodes.map((node, index) => placeNode(node, types.get(node.type)!, index, options));
	return new Workflow({
		id: options.workflowId ?? 'workflow-1',
		name: 'Engine test',
		nodes: placed,
		connections: connections ?? chain(placed),
		active: false,
		nodeTypes: nodeTypesOf(byName),
		settings: { executionOrder: 'v1' },
		...(options.staticData ? { staticData: structuredClone(options.staticData) } : {}),
	});
}

function placeNode(node: EngineNode, instance: INodeType, index: number, options: EngineOptions): INode {
	const { description } = instance;
	const wanted = (description.credentials ?? []).filter(({ name }) => options.credentials?.[name]);
	return {
		id: `node-${index}`,
		name: node.name ?? String(description.defaults.name),
		type: description.name,
		typeVersion: [description.version].flat().at(-1)!,
		position: [index * 200, 0],
		parameters: node.parameters ?? {},
		credentials: Object.fromEntries(wanted.map(({ name }) => [name, { id: name, name }])),
		...node.settings,
	};
}

function chain(nodes: INode[]): IConnections {
	const pairs = nodes.slice(1).map((next, index) => [nodes[index]!.name, next.name] as const);
	return Object.fromEntries(
		pairs.map(([from, to]) => [from, { main: [[{ node: to, type: 'main' as const, index: 0 }]] }]),
	);
}

function nodeTypesOf(byName: Map<string, INodeType>): INodeTypes {
	const find = (name: string): INodeType => {
		const match = byName.get(name);
		if (!match) throw new Error(`The test gave no class for the node type "${name}"`);
		return match;
	};
	return { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
}

export const idOf = ({ executionId = 'execution-1' }: EngineOptions): string => executionId;

export function additionalDataFor(
	workflow: Workflow,
	mode: WorkflowExecuteMode,
	options: EngineOptions,
): IWorkflowExecuteAdditionalData {
	const executionId = idOf(options);
	const unused = 'http://127.0.0.1:1/';
	const nowhere = () => Promise.reject(new Error('The engine of the tests has no sub-workflows and no task runner'));
	return {
		credentialsHelper: credentialsHelperFor(options),
		hooks: new ExecutionLifecycleHooks(mode, executionId, {
			...{ id: workflow.id, name: 'Engine test', nodes: [], connections: {}, active: false, isArchived: false },
			...{ activeVersionId: null, createdAt: new Date(0), updatedAt: new Date(0) },
		}),
		externalSecretsProxy: undefined as never,
		executionId,
		workflowId: workflow.id,
		currentNodeExecutionIndex: 0,
		variables: {},
		...{ restApiUrl: unused, instanceBaseUrl: unused, formBaseUrl: unused, formWaitingBaseUrl: unused },
		...{ formTestBaseUrl: unused, webhookBaseUrl: unused, webhookWaitingBaseUrl: unused, webhookTestBaseUrl: unused },
		...{ mcpBaseUrl: unused, mcpTestBaseUrl: unused },
		...{ executeWorkflow: nowhere, getRuntimeCredential: nowhere },
		getRunExecutionData: async (id) => await Promise.resolve(options.executions?.[id] as IRunExecutionData | undefined),
		startRunnerTask: nowhere,
		logAiEvent: () => undefined,
	};
}

/** Credentials as plain data, applied to requests by the credential class's own `authenticate`, as n8n does. */
function credentialsHelperFor({ credentials = {}, credentialTypes = [] }: EngineOptions): ICredentialsHelper {
	const types = new Map(credentialTypes.map((type) => new type()).map((type) => [type.name, type]));
	const none = () => Promise.resolve(undefined);
	const refuse = () => Promise.reject(new Error('Credentials in the engine of the tests cannot be changed'));
	return {
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		authenticate: async (data, typeName, requestOptions, workflow, node) =>
			await authenticate(types.get(typeName), data, requestOptions as IHttpRequestOptions, workflow!, node!),
		preAuthentication: none,
		runPreAuthentication: none,
		getCredentials: refuse,
		getDecrypted: async (_data, _details, type, ...[mode, executeData, , values]) => {
			const entered = structuredClone(credentials[type] ?? {});
			const hidden = (types.get(type)?.properties ?? []).filter((property) => property.type === 'hidden');
			const data = { ...Object.fromEntries(hidden.map((field) => [field.name, field.default])), ...entered };
			if (!values) return data as ICredentialDataDecryptedObject;
			// As n8n's own helper adds hidden fields to a credential, and resolves its expressions.
			const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
			return workflow.expression.getParameterValue(
				data as INodeParameters,
				...([runExecutionData, runIndex, itemIndex, node.name, connectionInputData, mode, {}, executeData] as const),
				...([false, {}] as const),
			) as ICredentialDataDecryptedObject;
		},
		updateCredentials: refuse,
		updateCredentialsOauthTokenData: refuse,
		getCredentialsProperties: (type) => types.get(type)?.properties ?? [],
	};
}

async function authenticate(
	type: ICredentialType | undefined,
	$credentials: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions,
	workflow: Workflow,
	node: INode,
): Promise<IHttpRequestOptions> {
	if (!type) throw new Error('Give the credential class in `credentialTypes` to test an authenticated request');
	if (typeof type.authenticate === 'function') return await type.authenticate($credentials, request);
	const resolve = (text: string): string =>
		isExpression(text)
			? String(workflow.expression.getSimpleParameterValue(node, text, 'internal', { $credentials }, undefined, ''))
			: text;
	const parts = type.authenticate?.properties ?? {};
	for (const [part, values] of Object.entries(parts) as Array<['headers' | 'qs', Record<string, string>]>) {
		const resolved = Object.entries(values).map(([key, value]) => [resolve(key), resolve(value)]);
		request[part] = { ...request[part], ...Object.fromEntries(resolved) };
	}
	return request;
}
