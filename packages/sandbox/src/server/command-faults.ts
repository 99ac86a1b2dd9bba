import type { CommandAction, OperationId } from '@partner-exchange/core/catalogue';
import { readJson } from '../api/json';
import type { Connection } from './connection';
import { kindsStriking } from './faults';
import type { SandboxContext } from './context';

/** Faults that apply to incoming stream commands: the request faults that need no HTTP response. */
const COMMAND_FAULTS = kindsStriking('command');

const operations: Record<CommandAction, OperationId> = {
	order_create: 'order.create',
	order_cancel: 'order.cancel',
	order_replace: 'order.replace',
};

export function receive(context: SandboxContext, connection: Connection, text: string): void {
	const { session, socket } = connection;
	const fault = context.faults.armed.length > 0 && strikeCommand(context, connection, text);
	if (!fault) return session.receive(text);
	const commit = () => {
		connection.silent = true;
		session.receive(text);
	};
	const { kind } = fault;
	switch (kind) {
		case 'commit-then-drop':
			commit();
			return context.afterCommit(() => socket.terminate());
		case 'commit-then-hang':
			return commit();
		case 'drop-before-commit':
			return socket.terminate();
		case 'hang':
			return;
		default:
			return kind satisfies never;
	}
}

function strikeCommand({ faults }: SandboxContext, { apiKey }: Connection, text: string) {
	const message = readJson(text);
	if (typeof message === 'string' || message.type !== 'command') return undefined;
	const operation = operations[message.action as CommandAction];
	const key = message.idempotency_key ?? message.request_id;
	return faults.strike(COMMAND_FAULTS, {
		operation,
		apiKey,
		idempotencyKey: typeof key === 'string' ? key : undefined,
	});
}
