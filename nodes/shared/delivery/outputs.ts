import type { StreamEvent } from '@partner-exchange/core';
import { namesToRead } from '@partner-exchange/core/adapters';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Reason } from '../host/execution';
import { failedItem, type FailurePolicy } from './failure';

/**
 * The outputs of a trigger. Notices have their own, so that they never reach nodes that expect an event. Failed events
 * have one only if the user chose it. n8n evaluates this as an expression.
 */
export const outputs =
	`={{ $parameter["options"]["whenTriesFail"] === "failedEvents" ? [{ type: "main", displayName: "Events" }, { type: "main", displayName: "Failed Events" }, { type: "main", displayName: "Notices" }] : [{ type: "main", displayName: "Events" }, { type: "main", displayName: "Notices" }] }}` as const;

type Outputs = INodeExecutionData[][];
type Chosen = Pick<FailurePolicy, 'afterwards'> & { output: EventOutput };

export const outputsOf = (events: readonly StreamEvent[], chosen: Chosen): Outputs => {
	const notices = events.filter(({ kind }) => kind !== undefined);
	const others = notices.length === 0 ? events : events.filter(({ kind }) => kind === undefined);
	const items = others.map((event) => itemOf(event, chosen.output));
	if (notices.length === 0) return [items];
	return [
		items,
		...noticeOutputs(
			notices.map((notice) => itemOf(notice, 'whole')),
			chosen,
		).slice(1),
	];
};

export const failedOutputs = (
	events: readonly StreamEvent[],
	{ output }: Pick<Chosen, 'output'>,
	tries: number,
	reason: Reason,
): Outputs => [[], events.map((event) => failedItem(itemOf(event, output), tries, reason)), []];

/** Notices are emitted on the last output. */
export const noticeOutputs = (notices: INodeExecutionData[], { afterwards }: Pick<Chosen, 'afterwards'>): Outputs =>
	afterwards === 'failedEvents' ? [[], [], notices] : [[], notices];

/** How much of an event an item shows: the record with what names the event, or all of the message around it. */
export type EventOutput = 'simple' | 'whole';

/**
 * Most nodes want the fields of the record where the fields of an item are, as in the output of the action node. That a
 * change of a book is stale is said in both, because a price is taken from what it makes of the book.
 */
export function itemOf(event: StreamEvent, output: EventOutput): INodeExecutionData {
	const { topic, data, eventKey, stale } = event;
	const isRecord = typeof data === 'object' && data !== null && !Array.isArray(data);
	const simple = { topic, eventKey, ...(stale ? { stale } : {}) };
	const json = output === 'simple' && isRecord ? { ...toRead(data), ...simple } : { ...event };
	return { json: json as IDataObject };
}

const toRead = (data: object): object =>
	Object.fromEntries(namesToRead(data).map((name) => [name, (data as Record<string, unknown>)[name]]));
