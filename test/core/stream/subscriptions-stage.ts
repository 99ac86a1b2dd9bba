import type { ExchangeError, Item } from '@partner-exchange/core';
import { createSession } from '../../../packages/core/src/stream/connection/session';
import type { SessionChannel } from '../../../packages/core/src/stream/connection/session-channel';
import type { Position } from '../../../packages/core/src/stream/position';
import { virtualTime } from '../../simulation/support/time';
import { ACCOUNT } from './stage';

const SECOND_MS = 1_000;
export const at = (seq: number): Position => ({ epoch: 'e1', seq });

interface Topic {
	position?: Position;
	isBook?: boolean;
	wasConfirmed?: boolean;
}

/** The topics of one open connection, with the messages sent and the calls made for them. */
export function openSubscriptions(topics: Record<string, Topic>, names = {}) {
	const time = virtualTime();
	const reports: unknown[][] = [];
	const sent: Item[] = [];
	const sockets: { opened(): void; say(frame: object): void; close(): void }[] = [];
	let drops = 0;
	const channels = new Map<string, SessionChannel>();
	for (const [topic, { position }] of Object.entries(topics)) {
		const ignore = () => undefined;
		channels.set(topic, {
			...{ topic, resumeFrom: () => position },
			confirmed: (head, snapshot, resumedFrom) => void reports.push(['confirmed', topic, head, snapshot, resumedFrom]),
			refused: (error: ExchangeError) =>
				void reports.push(['refused', topic, error.code, error.message, error.serviceCode]),
			unavailable: (error, againMs) => void reports.push(['unavailable', topic, error.code, againMs / SECOND_MS]),
			confirmedAgain: () => void reports.push(['confirmed again', topic]),
			...{ requested: ignore, lost: ignore, receive: ignore, drops: () => false },
		});
	}
	const session = createSession({
		access: 'private',
		channel: (topic) => channels.get(topic),
		account: { ...ACCOUNT, names },
		clock: time,
		random: () => 0,
		openSocket: (_url, handlers) => {
			sockets.push({
				opened: handlers.opened,
				say: (frame) => handlers.messages([JSON.stringify(frame)]),
				close: () => handlers.closed({ code: 1006 }),
			});
			return {
				send: (text) => {
					const message = JSON.parse(text) as Item;
					sent.push(message);
					if (message.type === 'ping') say({ type: 'pong' });
				},
				terminate: () => void (drops += 1),
			};
		},
		isKeyRefused: () => Promise.resolve(false),
		...{ received: () => undefined, lost: () => undefined, changed: () => undefined, idle: () => undefined },
		...{ unreachable: () => undefined, refused: () => undefined },
	});
	const say = (frame: object): void => sockets.at(-1)!.say(frame);
	const subscribes = () => sent.splice(0).filter(({ type }) => type === 'subscribe');
	const heard = () => reports.splice(0).filter(([kind]) => kind !== 'confirmed again');
	const attach = (topic: string): void => session.attach(topic, topics[topic]!.isBook ?? false);
	for (const [topic, { wasConfirmed }] of Object.entries(topics)) {
		if (!wasConfirmed) continue;
		if (session.state.phase === 'connecting') sockets[0]!.opened();
		attach(topic);
		say({ type: 'subscribed', topics: [topic] });
	}
	subscribes();
	heard();
	return {
		...{ session, say },
		/** Subscribes topics together, where the connection opens with them; afterwards one by one. */
		request: (...wanted: string[]) => {
			const isNew = session.state.phase === 'connecting';
			for (const topic of wanted) {
				if (!session.state.topics.has(topic)) attach(topic);
				else if (!isNew) session.subscribe(topic);
			}
			if (isNew) sockets.at(-1)!.opened();
		},
		confirm: (...named: string[]) => say({ type: 'subscribed', topics: named }),
		refuse: (error: object = {}) => say({ type: 'error', ...error }),
		leave: (topic: string) => session.detach(topic),
		lose: () => sockets.at(-1)!.close(),
		/** Opens the socket that follows, once it is tried. */
		reopen: async () => {
			const tried = sockets.length;
			for (let second = 0; second < 60 && sockets.length === tried; second += 1) await time.run(time.now() + SECOND_MS);
			sockets.at(-1)!.opened();
		},
		sent: subscribes,
		topics: () => subscribes().map(({ topics: named }) => (named as string[]).join()),
		reports: heard,
		drops: () => drops,
		pass: (seconds: number) => time.run(time.now() + seconds * SECOND_MS),
	};
}
