/** Every parser of the project with its guarantee for any input. A target throws if the guarantee is broken. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
	createStream,
	ExchangeError,
	isDecimal,
	named,
	type SocketHandlers,
	type StoredCheckpoint,
	type StreamPorts,
	redact,
} from '@partner-exchange/core';
import { excerpt } from '@partner-exchange/core/adapters';
import { operationIds, operationOf } from '@partner-exchange/core/catalogue';
import { acceptAccount, itemsIn, recordNames, type RecordKind } from '@partner-exchange/core/testing';
import { reportDrift } from '../../packages/core/src/client/answer';
import { rulesOf } from '../../packages/core/src/client/market-rules';
import { acceptInput } from '../../packages/core/src/input/input';
import { readMessage } from '../../packages/core/src/stream/connection/messages';
import { eventsOf, topicOf } from '../../packages/core/src/stream/topics';
import { isTooDeep, parseExactly } from '../../packages/core/src/wire/json';
import { instantOf } from '../../packages/core/src/wire/payload';
import { buildRequest } from '../../packages/core/src/wire/request';
import { readResponse } from '../../packages/core/src/wire/response';
import { spellings } from '../support/canary';
import { virtualTime } from '../simulation/support/time';
import { callTarget } from './calls';
import { fileTargets } from './files';
import { hostileFrame, hostileHeaders, hostileInput, hostileText, hostileValue } from './hostile';
import { heardAsByWs, speech } from './socket-bytes';
import { target, type Target } from './target';

const KEY = 'canary-7f3a+/=&9';
const ACCOUNT = {
	...{
		environment: 'sandbox' as const,
		baseUrl: 'http://127.0.0.1:1024/v1',
		wsUrl: 'ws://127.0.0.1:1024/v1/ws',
		apiKey: KEY,
	},
};
const operation = fc.constantFrom(...operationIds).map(operationOf);

/** Runs a function that may refuse its input, but only with the project's own error. */
function refusing(code: string, action: () => void): void {
	try {
		action();
	} catch (error) {
		assert(error instanceof ExchangeError, `it threw ${String(error)}`);
		assert.equal(error.code, code);
		assert(error.message.length < 3_000, 'the message is too long to be read');
	}
}

export const targets: Target[] = [
	target('JSON of the service', [hostileText], (text) => {
		let plain: unknown;
		try {
			plain = JSON.parse(text);
		} catch {
			return assert.throws(() => parseExactly(text));
		}
		if (isTooDeep(text)) return assert.throws(() => parseExactly(text));
		assert.equal(typeof parseExactly(text), typeof plain);
	}),

	target(
		'bodies and headers',
		[operation, fc.integer({ min: 100, max: 599 }), hostileHeaders, hostileText],
		(entry, status, headers, body) => {
			const echoed = body.replace('error', KEY);
			const response = readResponse(
				entry,
				{ status, headers: { ...headers, 'x-request-id': KEY }, body: echoed },
				KEY,
				0,
			);
			if ('data' in response) {
				assert(status >= 200 && status < 300);
				reportDrift(entry, response.data, [], {});
			} else {
				assert(response.error.message.length < 1_500);
				assert(!(response.error.message + JSON.stringify(response.error)).includes(KEY));
				assert((response.error.retryAfterMs ?? 0) >= 0);
				assert(Number.isFinite(response.error.retryAfterMs ?? 0));
			}
		},
	),

	target('frames', [hostileFrame], (text) => {
		const frame = readMessage(text);
		if (frame.type === 'data') {
			assert(frame.position === undefined || Number.isSafeInteger(frame.position.seq));
			const topic = topicOf(frame.topic);
			const events = topic ? eventsOf(topic, frame) : [];
			for (const { key } of events) assert(key.length < 15_000);
		}
		assert.equal(({} as Record<string, unknown>).type, undefined);
	}),

	target('bytes of a socket', speech, heardAsByWs, 4),

	target('a stream of frames', [fc.array(hostileFrame, { minLength: 1, maxLength: 8 })], streamOf, 20),

	target(
		'lists, records and rules',
		[hostileValue, fc.constantFrom(...(Object.keys(recordNames) as RecordKind[]))],
		(data, kind) => {
			for (const item of itemsIn(data, 'markets')) assert.equal(typeof rulesOf(item), 'object');
			for (const value of Object.values(named(kind, data))) assert.equal(typeof value, 'string');
		},
	),

	target('times and amounts', [hostileValue], (value) => {
		const instant = instantOf(value);
		assert(instant === undefined || typeof instant === 'number');
		if (isDecimal(value)) assert(value.length <= 100);
	}),

	target('input of a flow, and the path it makes', [operation, fc.func(hostileInput)], (entry, draw) => {
		const text = Object.fromEntries(Object.keys(entry.input).map((name) => [name, draw(name)]));
		refusing('invalid_input', () => {
			const id = operationIds.find((candidate) => operationOf(candidate) === entry)!;
			const accepted = acceptInput(entry, text);
			if (entry.run.via !== 'rest') return;
			const [, template] = entry.run.route.split(' ') as [string, string];
			const { url, headers } = buildRequest(id, entry, accepted, ACCOUNT);
			const parts = new URL(url).pathname.split('/').slice(2);
			const expected = template.split('/').slice(1);
			assert.equal(parts.length, expected.length, url);
			expected.forEach((part, index) => part.startsWith('{') || assert.equal(parts[index], part, url));
			for (const value of Object.values(headers)) assert.match(value, /^[^\r\n\0]*$/);
		});
	}),

	callTarget,

	target('addresses and keys of an account', [hostileValue, hostileValue, fc.webUrl()], (address, key, web) => {
		for (const value of [textOf(address), web, `https://${textOf(address)}/v1`])
			refusing('invalid_account', () => void acceptAccount({ ...ACCOUNT, baseUrl: value, apiKey: textOf(key) }));
	}),

	target(
		'a key in any text',
		[fc.stringMatching(/^[!-~]{8,64}$/), hostileText, fc.nat(30)],
		(key, around, at) => {
			const all = Object.entries(spellings(key));
			const [name, spelling] = all[at % all.length]!;
			const text = `${around.slice(0, 5_000)} ${spelling} ${around.slice(0, 5_000)}`;
			assert(!redact(text, key).includes(spelling), name);
			assert(!excerpt(text, key).includes(spelling), name);
			assert(excerpt(text, key).length <= 301);
		},
		5,
	),

	target('a stored position', [hostileValue, hostileValue], checkpointOf, 10),
	...fileTargets,
];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A stream that receives arbitrary messages still delivers the valid ones, and nothing throws through its socket. */
async function streamOf(frames: string[]): Promise<void> {
	await consume(undefined, (say) => frames.forEach(say));
}

async function checkpointOf(stored: unknown, topic: unknown): Promise<void> {
	for (const checkpoint of [stored, { version: 4, topics: stored }, { version: 4, topics: { 'user.fills': topic } }])
		await consume(checkpoint, () => undefined);
}

async function consume(checkpoint: unknown, during: (say: (text: string) => void) => void): Promise<void> {
	const time = virtualTime();
	const sockets: SocketHandlers[] = [];
	const heard: string[] = [];
	let failed = false;
	const stream = createStream({
		...{ account: ACCOUNT, client: emptyService, clock: time, random: () => 0.5, newId: () => 'id' },
		openSocket: (_, handlers) => {
			sockets.push(handlers);
			queueMicrotask(handlers.opened);
			const send = (text: string): void => {
				const { type, topics } = JSON.parse(text) as { type: string; topics: string[] };
				const answer = JSON.stringify({ type: 'subscribed', topics });
				if (type === 'subscribe') queueMicrotask(() => handlers.messages([answer]));
			};
			return { send, terminate: () => undefined };
		},
	});
	const subscription = stream.subscribe({
		topics: ['user.fills'],
		retriesFirstConnection: true,
		checkpoint: checkpoint as StoredCheckpoint,
		deliver: async (events) => void heard.push(...events.map(({ eventKey }) => eventKey)),
		onFailed: () => (failed = true),
	});
	await time.run(time.now() + 1_000);
	// What is damaged is refused before anything is requested.
	if (failed && sockets.length === 0) return void (await stream.close());
	during((text) => sockets.at(-1)!.messages([text]));
	// Enough time for a reconnect and the reads after it.
	await time.run(time.now() + 180_000);
	const data = { fill_id: 'the-sound-one', order_id: 'o', quantity: '1' };
	sockets.at(-1)!.messages([JSON.stringify({ type: 'data', topic: 'user.fills', epoch: 'sound', seq: 1, data })]);
	await time.run(time.now() + 60_000);
	assert(failed || heard.includes('fill:the-sound-one:o'), 'what was sound was not heard');
	await subscription.close();
	await stream.close();
}

const emptyService: StreamPorts['client'] = {
	page: async () => await Promise.resolve([]),
	call: async () => await Promise.reject(new ExchangeError('not_found', { what: 'There is none' })),
	serviceTime: () => undefined,
};
