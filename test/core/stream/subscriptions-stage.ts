import type { Item } from '@partner-exchange/core';
import { createConnection } from '../../../packages/core/src/stream/connection/connection';
import type { CarriedTopic, TopicNews } from '../../../packages/core/src/stream/connection/link';
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

function reportOf(topic: string, news: TopicNews): unknown[][] {
	switch (news.type) {
		case 'confirmed':
			return [['confirmed', topic, news.head, news.snapshot]];
		case 'refused':
			return [['refused', topic, news.error.code, news.error.message, news.error.serviceCode]];
		case 'unavailable':
			return [['unavailable', topic, news.error.code, news.againMs / SECOND_MS]];
		default:
			return [];
	}
}

/** The topics of one open connection, with the messages sent and the calls made for them. */
export function openSubscriptions(topics: Record<string, Topic>, names = {}) {
	const time = virtualTime();
	const reports: unknown[][] = [];
	const sent: Item[] = [];
	const sockets: { opened(): void; say(frame: object): void; close(): void }[] = [];
	let drops = 0;
	const feeds = new Map<string, CarriedTopic>();
	for (const [topic, { position, isBook = false }] of Object.entries(topics)) {
		feeds.set(topic, {
			...{ topic, isBook, resumeFrom: () => position },
			happened: (news) => void reports.push(...reportOf(topic, news)),
		});
	}
	const connection = createConnection({
		access: 'private',
		feed: (topic) => feeds.get(topic),
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
		client: { call: () => Promise.resolve({}) },
		...{ received: () => undefined, lost: () => undefined, changed: () => undefined, unused: () => undefined },
		failed: () => undefined,
	});
	const say = (frame: object): void => sockets.at(-1)!.say(frame);
	const subscribes = () => sent.splice(0).filter(({ type }) => type === 'subscribe');
	const heard = () => reports.splice(0);
	const attach = (topic: string): void => connection.attach(topic);
	for (const [topic, { wasConfirmed }] of Object.entries(topics)) {
		if (!wasConfirmed) continue;
		if (connection.state.phase === 'connecting') sockets[0]!.opened();
		attach(topic);
		say({ type: 'subscribed', topics: [topic] });
	}
	subscribes();
	heard();
	return {
		...{ connection, say },
		/** Subscribes topics together, where the connection opens with them; afterwards one by one. */
		request: (...wanted: string[]) => {
			const isNew = connection.state.phase === 'connecting';
			for (const topic of wanted) {
				if (!connection.state.topics.has(topic)) attach(topic);
				else if (!isNew) connection.subscribe(topic);
			}
			if (isNew) sockets.at(-1)!.opened();
		},
		confirm: (...named: string[]) => say({ type: 'subscribed', topics: named }),
		refuse: (error: object = {}) => say({ type: 'error', ...error }),
		leave: (topic: string) => connection.detach(topic),
		lose: () => sockets.at(-1)!.close(),
		/** Opens the socket that follows, once it is tried. */
		reopen: async () => {
			const isWaiting = () => connection.state.phase !== 'connecting';
			for (let second = 0; second < 60 && isWaiting(); second += 1) await time.run(time.now() + SECOND_MS);
			sockets.at(-1)!.opened();
		},
		sent: subscribes,
		topics: () => subscribes().map(({ topics: named }) => (named as string[]).join()),
		reports: heard,
		drops: () => drops,
		pass: (seconds: number) => time.run(time.now() + seconds * SECOND_MS),
	};
}
