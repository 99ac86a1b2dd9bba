import type { Habits } from './weather';

/** Ways of a service that the sandbox does not have, put on its messages as they leave and taken off those that come in. */

/** Numbers that jump count in threes: monotonic, as the interface says, and not consecutive, which it does not say. */
const STRIDE = 3;

type Message = Record<string, unknown> & { resume?: Record<string, { epoch: string; seq: number }> };

export function dressed(text: string, { sparse, tellsHead, tellsBook }: Habits): string {
	const shown = text.startsWith('{"type":"subscribed"') ? confirmation(text, tellsHead, tellsBook) : text;
	return sparse ? shown.replace(/"seq":(\d+)/g, (_, seq) => `"seq":${Number(seq) * STRIDE}`) : shown;
}

function confirmation(text: string, tellsHead: boolean, tellsBook: boolean): string {
	const { positions, snapshots, ...message } = JSON.parse(text) as Message;
	return JSON.stringify({ ...message, ...(tellsHead ? { positions } : {}), ...(tellsBook ? { snapshots } : {}) });
}

export function undressed(text: string, { sparse }: Habits): string {
	const message = JSON.parse(text) as Message;
	if (!sparse || !message.resume) return text;
	const resume = Object.entries(message.resume).map(([topic, { epoch, seq }]) => [
		topic,
		{ epoch, seq: Math.floor(seq / STRIDE) },
	]);
	return JSON.stringify({ ...message, resume: Object.fromEntries(resume) as object });
}
