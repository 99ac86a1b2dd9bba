import type { Random } from '../support/random';
import { confirmationsOf, type Confirming } from './confirmations';
import { fillShapes, usualShapes, type FillShape } from './fills';
import type { Numbering } from './trades';

/** Properties of services that the sandbox lacks, applied to its outgoing messages and reversed for incoming ones. */
export interface MessageHabits {
	/** Numbers jump although nothing is missing. */
	sparse: boolean;
	/** The step between changes of a book in its own sequence, although nothing is missing. */
	bookStride: number;
	/** Whether a confirmation states its starting position, and includes the order book. */
	tellsHead: boolean;
	tellsBook: boolean;
	/** The topics a confirmation lists: those requested, all active ones, one per message, or none. */
	confirms: 'asked' | 'active' | 'one by one' | 'nothing';
	fills: FillShape;
	/** Times of records without a zone, an hour ahead. */
	localTimes: boolean;
	/** Whether records show when they changed last. */
	tellsChanges: boolean;
	trades: Numbering;
}

export const plainMessages: MessageHabits = {
	sparse: false,
	bookStride: 1,
	tellsHead: true,
	tellsBook: true,
	confirms: 'asked',
	fills: 'bare',
	localTimes: false,
	tellsChanges: true,
	trades: 'one by one',
};

export const drawMessages = (chance: Random): Pick<MessageHabits, 'confirms' | 'fills' | 'bookStride'> => ({
	confirms: chance.happens(0.2) ? chance.pick(['active', 'one by one', 'nothing']) : 'asked',
	fills: chance.happens(0.25) ? chance.pick(usualShapes) : 'bare',
	bookStride: chance.happens(0.2) ? 4 : 1,
});

/** Numbers that jump count in threes: the interface promises monotonic numbers, but not consecutive ones. */
const STRIDE = 3;

type Message = Record<string, unknown> & { resume?: Record<string, { epoch: string; seq: number }> };

/** One message of the sandbox, as one or more messages of the service. */
export function dressed(text: string, habits: MessageHabits, active: Confirming): string[] {
	const report = inOwnTimes(withBook(text, habits.bookStride), habits);
	const rows = text.startsWith('{"type":"subscribed"')
		? confirmationsOf(report, habits, active)
		: [habits.fills === 'bare' ? report : withFill(report, habits.fills)];
	return habits.sparse
		? rows.map((name) => name.replace(/"seq":(\d+)/g, (_, seq) => `"seq":${Number(seq) * STRIDE}`))
		: rows;
}

/** Order books and their changes, with the sequence numbers this service gives them. */
export const withBook = (text: string, stride: number): string =>
	stride === 1 || text.startsWith('{"type":"data","topic":"trades')
		? text
		: text.replace(/"sequence":(\d+)/g, (_, sequence) => `"sequence":${Number(sequence) * stride}`);

/** A service that writes the time of its own place without saying which, or no times of changes. */
export function inOwnTimes(text: string, { localTimes, tellsChanges }: TimeHabits): string {
	const view = tellsChanges ? text : text.replace(/,"updated_at":"[^"]+"/g, '');
	if (!localTimes) return view;
	return view.replace(
		/"(created_at|updated_at)":"([^"]+)"/g,
		(_, name, at) => `"${name}":"${new Date(Date.parse(at as string) + AHEAD_MS).toISOString().slice(0, -1)}"`,
	);
}

type TimeHabits = Pick<MessageHabits, 'localTimes' | 'tellsChanges'>;

const AHEAD_MS = 3_600_000;

function withFill(text: string, shape: FillShape): string {
	if (!text.startsWith('{"type":"data","topic":"user.fills"')) return text;
	const { data, ...message } = JSON.parse(text) as { data: Parameters<(typeof fillShapes)[FillShape]['told']>[0] };
	return JSON.stringify({ ...message, data: fillShapes[shape].told(data) });
}

export function undressed(text: string, { sparse }: MessageHabits): string {
	const message = JSON.parse(text) as Message;
	if (!sparse || !message.resume) return text;
	const resume = Object.entries(message.resume).map(([topic, { epoch, seq }]) => [
		topic,
		{ epoch, seq: Math.floor(seq / STRIDE) },
	]);
	return JSON.stringify({ ...message, resume: Object.fromEntries(resume) as object });
}
