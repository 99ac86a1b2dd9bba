import {
	commandErrorCodes,
	commands,
	environments,
	operationIds,
	operationOf,
	commandOf,
	resume,
	topicNames,
	wildcard,
	type CommandAction,
} from '@partner-exchange/core/catalogue';
import { assumedAs, isRequired, schemaOfField, schemaOfShape, type JsonSchema } from './json-schema';

const text = { type: 'string' };
const topics = {
	type: 'array',
	items: text,
	description: `${topicNames}. The key of a pair is written with _ for /.`,
	...assumedAs(wildcard.assumed),
};

const message = (type: string, properties: JsonSchema, required: readonly string[] = []): JsonSchema => ({
	name: type,
	payload: { type: 'object', properties: { type: { const: type }, ...properties }, required: ['type', ...required] },
});

/** The actions, by the operation that sends each; an order is created over REST, too. */
const operationOfAction = (action: CommandAction) =>
	operationOf(operationIds.find((id) => commandOf(operationOf(id)) === action) ?? operationIds.find(isCreate)!);
const isCreate = (id: (typeof operationIds)[number]): boolean => {
	const { run } = operationOf(id);
	return run.via === 'intent' && run.kind === 'create';
};

function commandMessage(action: CommandAction): JsonSchema {
	const { input } = operationOfAction(action);
	const fields = commands[action].map((name) => [name, input[name]] as const);
	const needed = fields.filter(([, field]) => field && isRequired(field)).map(([name]) => name);
	const described = Object.fromEntries(fields.map(([name, field]) => [name, field ? schemaOfField(field) : text]));
	return message('command', { request_id: text, action: { const: action }, ...described }, [
		...['request_id', 'action'],
		...needed,
	]);
}

/** What an acknowledgement carries. (Interface, part 6.) */
function acknowledgement(action: CommandAction): JsonSchema {
	return {
		properties: { action: { const: action }, data: schemaOfShape(operationOfAction(action).output) },
		required: ['action', 'data'],
	};
}

const actions = Object.keys(commands) as CommandAction[];

/** (Interface, part 6.) */
const toService: Readonly<Record<string, JsonSchema>> = {
	subscribe: message(
		'subscribe',
		{ topics, snapshot: { type: 'boolean' }, [resume.name]: { type: 'object', ...assumedAs(resume.assumed) } },
		['topics'],
	),
	unsubscribe: message('unsubscribe', { topics }, ['topics']),
	ping: message('ping', {}),
	...Object.fromEntries(actions.map((action) => [action, commandMessage(action)])),
};

const NOT_SHOWN = 'The shape of payloads, of snapshots and of errors is not shown';

const fromService: Readonly<Record<string, JsonSchema>> = {
	subscribed: message('subscribed', { topics }, ['topics']),
	unsubscribed: message('unsubscribed', { topics }, ['topics']),
	data: message(
		'data',
		{
			topic: text,
			seq: { type: 'integer' },
			epoch: text,
			ts: { type: 'string', format: 'date-time' },
			data: assumedAs(NOT_SHOWN),
		},
		['topic', 'seq', 'epoch', 'ts', 'data'],
	),
	pong: message('pong', {}),
	error: { ...message('error', {}), ...assumedAs(NOT_SHOWN) },
	command_ack: {
		name: 'command_ack',
		payload: {
			type: 'object',
			properties: { type: { const: 'command_ack' }, request_id: text },
			required: ['type', 'request_id', 'action', 'data'],
			oneOf: actions.map(acknowledgement),
		},
	},
	command_error: message('command_error', { request_id: text, code: { enum: commandErrorCodes }, message: text }, [
		...['request_id', 'code', 'message'],
	]),
};

/** The stream of the exchange as AsyncAPI 3. */
export function exchangeAsyncApi(version: string): JsonSchema {
	const { host, pathname, protocol } = new URL(environments.sandbox.wsUrl);
	const refer = (names: object) => Object.keys(names).map((name) => ({ $ref: `#/channels/stream/messages/${name}` }));
	return {
		asyncapi: '3.0.0',
		info: {
			title: 'Stream of the partner exchange',
			version,
			description:
				'Written from the catalogue of the client. Whatever the interface does not show carries `x-assumed` with the reason.',
		},
		servers: {
			sandbox: { host, pathname, protocol: protocol.replace(':', ''), description: 'The sandbox on this machine' },
		},
		channels: {
			stream: {
				address: '/',
				description: 'One connection for all topics and commands. With a key, the address carries it as `token`.',
				messages: { ...toService, ...fromService },
				bindings: { ws: { query: { type: 'object', properties: { token: text } } } },
			},
		},
		operations: {
			send: { action: 'receive', channel: { $ref: '#/channels/stream' }, messages: refer(toService) },
			hear: { action: 'send', channel: { $ref: '#/channels/stream' }, messages: refer(fromService) },
		},
	};
}
