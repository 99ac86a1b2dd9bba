import type { Random } from '../support/random';
import { confirmationsOf, type Confirming } from './confirmations';
import { fillShapes, type FillShape } from './fills';

/** Ways of a service that the sandbox does not have, put on its messages as they leave and taken off those that come in. */
export interface MessageHabits {
	/** Numbers jump although nothing is missing. */
	sparse: boolean;
	/** From one change of a book to the next in its own sequence, although nothing is missing. */
	bookStride: number;
	/** Whether a confirmation tells the position it begins at, and the order book. */
	tellsHead: boolean;
	tellsBook: boolean;
	/** What a confirmation names: what was asked for, all that is active, one topic each, or nothing. */
	confirms: 'asked' | 'active' | 'one by one' | 'nothing';
	fills: FillShape;
}

export const plainMessages: MessageHabits = {
	sparse: false,
	bookStride: 1,
	tellsHead: true,
	tellsBook: true,
	confirms: 'asked',
	fills: 'bare',
};

export const drawMessages = (chance: Random): Pick<MessageHabits, 'confirms' | 'fills' | 'bookStride'> => ({
	confirms: chance.happens(0.2) ? chance.pick(['active', 'one by one', 'nothing']) : 'asked',
	fills: chance.happens(0.25) ? chance.pick(Object.keys(fillShapes) as FillShape[]) : 'bare',
	bookStride: chance.happens(0.2) ? 4 : 1,
});

/** Numbers that jump count in threes: monotonic, as the interface says, and not consecutive, which it does not say. */
const STRIDE = 3;

type Message = Record<string, unknown> & { resume?: Record<string, { epoch: string; seq: number }> };

/** One message of the sandbox, as one or more of the service. */
export function dressed(text: string, habits: MessageHabits, active: Confirming): string[] {
	const told = withBook(text, habits.bookStride);
	const shown = text.startsWith('{"type":"subscribed"')
		? confirmationsOf(told, habits, active)
		: [habits.fills === 'bare' ? told : withFill(told, habits.fills)];
	return habits.sparse
		? shown.map((one) => one.replace(/"seq":(\d+)/g, (_, seq) => `"seq":${Number(seq) * STRIDE}`))
		: shown;
}

/** What holds an order book, or changes of one, with the sequence the service gives it. */
export const withBook = (text: string, stride: number): string =>
	stride === 1 || text.startsWith('{"type":"data","topic":"trades')
		? text
		: text.replace(/"sequence":(\d+)/g, (_, sequence) => `"sequence":${Number(sequence) * stride}`);

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
