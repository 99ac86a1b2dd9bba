import { streamPolicy, type Clock, type Consumer, type OpenSocket, type StreamPolicy } from '@partner-exchange/core';
import type { LayerName } from './layers';

/** A bug put into the client to see that the simulation notices. Without any, it is the client as it ships. */
export interface Plant {
	/** The layer that shows it; without one, every seed has the layer it always has. */
	layer?: LayerName;
	policy?: Partial<StreamPolicy>;
	/** What becomes of the messages on their way in and out. */
	socket?: (open: OpenSocket) => OpenSocket;
	take?: (take: Consumer['take']) => Consumer['take'];
	clock?: (clock: Clock) => Clock;
}

interface Message {
	type: string;
	topic: string;
	topics: string[];
	seq: number;
	epoch: string;
	resume?: { [topic: string]: { seq: number } };
}

/** Changes what arrives; undefined means that it is thrown away. One memory per connection. */
const hearing =
	(change: (memory: Map<string, unknown>) => (message: Message) => Message | undefined): Plant['socket'] =>
	(open) =>
	(url, handlers) => {
		const changed = change(new Map());
		const message = (text: string): void => {
			const parsed = read(text);
			if (!parsed) return handlers.message(text);
			const passed = changed(parsed);
			if (passed) handlers.message(JSON.stringify(passed));
		};
		return open(url, { ...handlers, message });
	};

const saying =
	(change: (message: Message) => Message): Plant['socket'] =>
	(open) =>
	(url, handlers) => {
		const socket = open(url, handlers);
		return { ...socket, send: (text) => socket.send(JSON.stringify(change(JSON.parse(text) as Message))) };
	};

function read(text: string): Message | undefined {
	try {
		const parsed = JSON.parse(text) as Message | null;
		return parsed?.type === 'data' && 'seq' in parsed ? parsed : undefined;
	} catch {
		return undefined;
	}
}

const { isNews } = streamPolicy;

export const plants = {
	positionMovesBeforeTaking: {
		take: (take) => async (events) => void take(events).catch(() => undefined),
	},
	rejectionCountsAsTaken: { take: (take) => (events) => take(events).catch(() => undefined) },
	readsOnlyOnce: { layer: 'signs', policy: { readAfterMs: [0] } },
	readsOnlyAtFirst: { layer: 'gaps', policy: { isSuspect: () => false } },
	ignoresGaps: { layer: 'gaps', policy: { isSuspect: (step) => step === 'epoch' } },
	ignoresEpochs: { layer: 'epochs', policy: { isSuspect: (step) => step === 'gap' } },
	neverReads: { policy: { readAfterMs: [], readEveryMs: undefined, isSuspect: () => false } },
	readsNoOverlap: { layer: 'regular', policy: { readOverlapMs: -5_000 } },
	dropsBySeq: {
		layer: 'resume',
		socket: hearing((memory) => (message) => {
			const last = memory.get(message.topic) as number | undefined;
			memory.set(message.topic, Math.max(last ?? 0, message.seq));
			return last !== undefined && message.seq <= last + 1 && message.seq % 7 === 0 ? undefined : message;
		}),
	},
	resumesTooLate: {
		layer: 'resume',
		socket: saying((message) => ({
			...message,
			...(message.resume
				? {
						resume: Object.fromEntries(
							Object.entries(message.resume).map(([topic, position]) => [
								topic,
								{ ...position, seq: position.seq + 1 },
							]),
						),
					}
				: {}),
		})),
	},
	neverResumes: { layer: 'resume', socket: saying(({ resume: _, ...message }) => message) },
	forgetsATopic: {
		socket: saying((message) =>
			message.type === 'subscribe' && message.topics.length > 1
				? { ...message, topics: message.topics.slice(1) }
				: message,
		),
	},
	letsStatusesGoBack: {
		policy: { isNews: (update, known) => known?.status !== update.status || isNews(update, known) },
	},
	takesProgressForOld: {
		policy: { isNews: (update, known) => isNews(update, known) && known?.status !== update.status },
	},
	forgetsWhatWasTaken: { policy: { storedKeysMax: 0 } },
	ignoresSilence: {
		layer: 'resume',
		clock: (clock) => ({
			...clock,
			after: (delayMs, action) => (delayMs === 20_000 ? () => undefined : clock.after(delayMs, action)),
		}),
	},
	leavesATimer: {
		clock: (clock) => ({ ...clock, after: (delayMs, action) => (clock.after(delayMs, action), () => undefined) }),
	},
} satisfies { readonly [name: string]: Plant };
