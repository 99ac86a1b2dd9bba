import { remedies, type GapNotice, type IncompleteFillsNotice } from '../catalogue';
import { printable } from '../printable';
import type { StreamEvent, StreamNotice, StreamState } from './contract';

/** Texts for operators, in logs and statuses. Notices that flows receive as items are declared in the catalogue. */
export const noticeTexts = {
	notAcknowledged: 'The host did not acknowledge an event; it is delivered again',
	tooSlow: 'The host is too slow; what it misses is backfilled over REST',
	unusable: 'One event could not be read and was dropped',
	checkpointLost: 'The stored checkpoint is of another version or damaged, and is not read; the topic begins from now',
	staleBook: 'The order book may be stale',
	liveOnly: 'Missed events of this topic cannot be backfilled',
	wildcardLiveOnly: 'A wildcard topic brings what is live; missed events of it cannot be backfilled',
	wildcardTooSlow: 'The host is too slow; events of a wildcard topic were lost',
	renumbered: 'The service numbers the events of the topic from one again',
	unsorted:
		'The rows of the list are in no order of time, so each backfill reads all of it. If the service has set its clock back, what the stream loses until it is past that time again may be taken for old: compare with the list',
	openLeft: 'Not all older open orders could be read; changes of those left come over the stream alone',
	backfilled: (count: number) => `${count} backfilled over REST`,
	backfillFailed: (reason: string, againMs?: number) => `The backfill failed: ${reason}${again(againMs)}`,
	unavailable: (reason: string, againMs: number) => `${reason}${again(againMs)}`,
	mayBeMissing: (what: string) => `${what} may be missing`,
} as const;

const again = (ms: number | undefined): string =>
	ms === undefined ? '' : `; the next attempt is in ${Math.round(ms / 1_000)} s`;

/** What stays so until somebody changes something. */
const lasting: readonly string[] = [noticeTexts.liveOnly, noticeTexts.openLeft, noticeTexts.unsorted];

/** Says once, for the log of a host, what stays as it is until somebody changes something. */
export function lastingNotices(say: (text: string) => void): (notice: Pick<StreamNotice, 'text' | 'topic'>) => void {
	const said = new Set<string>();
	return ({ text, topic }) => {
		const sentence = `${topic ?? 'The stream'}: ${text}`;
		if (!lasting.includes(text) || said.has(sentence)) return;
		said.add(sentence);
		say(sentence);
	};
}

export const stateTexts: Readonly<Record<StreamState, string>> = {
	connecting: 'Connecting',
	catching_up: 'Connected, backfilling',
	live: 'Connected',
	waiting: 'Disconnected, reconnecting',
	refused: 'The key was refused; the next attempts are made at growing intervals',
	closed: 'Closed',
	failed: 'Stopped',
};

/** A notice as one sentence for logs; undefined for an event, whose content is not logged. */
export function noticeText({ kind, data }: Pick<StreamEvent, 'kind' | 'data'>): string | undefined {
	switch (kind) {
		case undefined:
			return undefined;
		case 'gap': {
			const { may_be_missing, done } = data as GapNotice;
			return printable(`${noticeTexts.mayBeMissing(may_be_missing)}. ${remedies[done]}`);
		}
		case 'incomplete_fills': {
			const { order_id, counted, expected, done } = data as IncompleteFillsNotice;
			return printable(
				`Order ${order_id} has a filled quantity of ${expected}, its fills add up to ${counted}. ${remedies[done]}`,
			);
		}
	}
}
