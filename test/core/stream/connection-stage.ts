import { ExchangeError, type Item, type SocketHandlers, type StreamState } from '@partner-exchange/core';
import { createConnection } from '../../../packages/core/src/stream/connection/connection';
import type { CarriedTopic } from '../../../packages/core/src/stream/connection/link';
import { settled, virtualTime } from '../../simulation/support/time';
import { ACCOUNT } from './stage';

const SECOND_MS = 1_000;

export const fills = {
	...{ topic: 'user.fills', isBook: false },
	...{ resumeFrom: () => ({ epoch: 'e1', seq: 3 }), happened: () => undefined },
} satisfies CarriedTopic;
export const book = { ...fills, topic: 'orderbook.USD_NGN', isBook: true, resumeFrom: () => undefined };

/** One connection; the test controls its peer and what REST says of the key. Moments are seconds since it began. */
export function openConnection({
	access = 'private',
	chance = 0.99,
}: { access?: 'private' | 'public'; chance?: number } = {}) {
	const time = virtualTime();
	const began = time.now();
	const second = (): number => (time.now() - began) / SECOND_MS;
	const handlers: SocketHandlers[] = [];
	const [sent, states]: [(Item & { second: number })[], StreamState[]] = [[], []];
	const [openedAt, endedAt]: [number[], number[]] = [[], []];
	const host = { asked: 0, refused: 0, unused: 0 };
	let answer = (_isRefused: boolean): void => undefined;
	let lost = (): void => undefined;
	let changed = (_state: StreamState): unknown => undefined;
	const connection = createConnection({
		access,
		account: ACCOUNT,
		clock: time,
		random: () => chance,
		openSocket: (_url, own) => {
			handlers.push(own);
			openedAt.push(second());
			return {
				send: (text) => void sent.push({ ...(JSON.parse(text) as Item), second: second() }),
				terminate: () => void endedAt.push(second()),
			};
		},
		feed: (topic) => (topic === book.topic ? book : fills),
		client: {
			call: () =>
				new Promise((resolve, reject) => {
					host.asked += 1;
					const refusal = new ExchangeError('unauthorized', { what: 'Unknown key' });
					answer = (isRefused) => (isRefused ? reject(refusal) : resolve({}));
				}),
		},
		changed: (_topics, state) => {
			states.push(state);
			changed(state);
		},
		failed: (_topics, { code }) => void (code === 'unauthorized' && (host.refused += 1)),
		unused: () => void (host.unused += 1),
		lost: () => lost(),
		received: () => undefined,
	});
	return {
		...{ connection, sent, states, openedAt, endedAt, host, handlers },
		latest: () => handlers.at(-1)!,
		say: (frame: object) => handlers.at(-1)!.messages([JSON.stringify(frame)]),
		answer: async (isRefused: boolean) => (answer(isRefused), settled()),
		onLost: (action: () => void) => void (lost = action),
		onChanged: (action: (state: StreamState) => unknown) => void (changed = action),
		pass: (seconds: number) => time.run(time.now() + seconds * SECOND_MS),
	};
}
