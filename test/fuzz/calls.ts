/** Every operation, whatever a flow gives it and whatever the service answers. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { createClient, ExchangeError, type Account, type Client, type Item, type Ports } from '@partner-exchange/core';
import { operationIds, operationOf, type CommandAction, type OperationId } from '@partner-exchange/core/catalogue';
import { inputOf } from '../support/inputs';
import { quickClock } from '../support/wire';
import { hostileInput, hostileRecord, hostileValue } from './hostile';
import type { Target } from './target';

const ACCOUNT: Account = {
	...{ environment: 'sandbox', apiKey: 'canary-7f3a+/=&9' },
	...{ baseUrl: 'http://127.0.0.1:1024/v1', wsUrl: 'ws://127.0.0.1:1024/v1/ws' },
};
const ITEMS_MAX = 50;

/** What a service answers in one run: the same in turn, so that a later read says something else than an earlier one. */
interface Answers {
	bodies: readonly string[];
	acknowledgement: Item;
}

/** Inputs of an operation in which one field, and every field, is drawn. */
export function drawnInputs(id: OperationId, draw: (name: string) => unknown): Item[] {
	const valid = Object.entries(inputOf(id));
	return [
		Object.fromEntries(valid.map(([name, value], at) => [name, at === 0 ? draw(name) : value])),
		Object.fromEntries(valid.map(([name]) => [name, draw(name)])),
	];
}

/** A call ends with an answer, or with the one error there is. */
export async function endsProperly(
	id: OperationId,
	records: unknown[],
	acknowledgement: unknown,
	inputs: readonly Item[],
): Promise<void> {
	const { list } = operationOf(id);
	const answers = {
		acknowledgement: recordOf(acknowledgement),
		bodies: [
			{ [list?.at ?? 'order']: list ? records : records[0], count: records.length },
			recordOf(records[0]),
			{ orders: records, markets: records, transactions: records },
		].map((data) => JSON.stringify({ status: 'success', data })),
	};
	for (const input of inputs) {
		const context = { signal: AbortSignal.timeout(60_000), warn: () => undefined };
		await onlyOurs(clientOf(answers).call(id, input, context));
		if (list) await onlyOurs(walk(clientOf(answers), id, input, context.signal));
	}
}

const recordOf = (value: unknown): Item =>
	typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Item) : { value };

function clientOf({ bodies, acknowledgement }: Answers): Client {
	let requestCount = 0;
	const ports: Ports = {
		...{ clock: quickClock(), random: () => 0.5, newId: () => `id-${requestCount}` },
		send: async () =>
			await Promise.resolve({ status: 200, headers: {}, body: bodies[requestCount++ % bodies.length]! }),
	};
	const command = async (action: CommandAction) => await Promise.resolve({ action, data: acknowledgement });
	return createClient(ACCOUNT, ports, { commands: () => ({ command }) });
}

async function walk(client: Client, id: OperationId, input: Item, signal: AbortSignal): Promise<void> {
	let count = 0;
	for await (const item of client.items(id, input, { signal })) if (item && (count += 1) > ITEMS_MAX) return;
}

async function onlyOurs(ending: Promise<unknown>): Promise<void> {
	await ending.catch((error: unknown) => assert(error instanceof ExchangeError, `it threw ${inspect(error)}`));
}

export const callTarget: Target = {
	name: 'calls, whatever answers them',
	cost: 100,
	property: fc.asyncProperty(
		fc.constantFrom(...operationIds),
		fc.array(fc.oneof({ weight: 5, arbitrary: hostileRecord }, hostileValue), { maxLength: 3 }),
		hostileRecord,
		fc.func(hostileInput),
		(id, records, acknowledgement, draw) =>
			endsProperly(id, records, acknowledgement, [inputOf(id), ...drawnInputs(id, draw)]),
	),
};
