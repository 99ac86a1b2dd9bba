import { type GapNotice, type TopicId, topics } from '../../catalogue';
import { type Whole, written } from '../../whole';
import { instant } from '../../wire/payload';
import { noticeTexts } from '../notice-text';
import { pairKeyOf } from '../topics';
import type { TopicEvent } from '../topics/event';

/** The range of sequences, or of creation times, in which events may be missing. */
export type Gap =
	| { after_sequence: Whole; before_sequence: Whole | null }
	| { after_created_at: string; before_created_at: string }
	/** Everything before a moment. */
	| { before_created_at: string };

/** What a list shows no more. Rows of the same moment as the oldest one that is listed may be missing, too. */
export const unlisted = (after: number, oldest: number): Gap => ({
	after_created_at: instant(after),
	before_created_at: instant(oldest + 1),
});

/** What could not be read back, as an event. Equal numbers of two epochs are different gaps. */
export function gapEvent(topic: string, gap: Gap, done: GapNotice['done'], epoch?: string | number): TopicEvent {
	const range = Object.fromEntries(Object.entries(gap).map(([name, value]) => [name, plain(value as Whole)]));
	const after = range.after_sequence ?? range.after_created_at;
	const end = range.before_sequence ?? range.before_created_at;
	const bounds = [...(after === undefined ? [] : [`after ${after}`]), ...(end == null ? [] : [`before ${end}`])];
	const may_be_missing = `${labelOf(topic)} ${bounds.join(' and ')}`;
	const data: GapNotice = { gap: range, pair: pairKeyOf(topic) ?? null, may_be_missing, done };
	const key = `gap:${[topic, ...(epoch === undefined ? [] : [epoch]), after ?? '', end ?? ''].join(':')}`;
	return { key, kind: 'gap', data };
}

const plain = (value: string | Whole | null): string | number | null =>
	typeof value === 'bigint' ? written(value) : value;

export const gapText = ({ data }: TopicEvent): string => noticeTexts.mayBeMissing((data as GapNotice).may_be_missing);

/** A wildcard may mean topics of several kinds. */
function labelOf(topic: string): string {
	const id = topic in topics ? topic : topic.split('.')[0]!;
	return id in topics ? topics[id as TopicId].label : `Events of ${topic}`;
}
