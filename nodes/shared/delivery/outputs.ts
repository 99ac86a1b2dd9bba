import type { StreamEvent } from '@partner-exchange/core';
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
type Chosen = Pick<FailurePolicy, 'afterwards'>;

export const outputsOf = (events: readonly StreamEvent[], chosen: Chosen): Outputs => {
	const notices = events.filter(({ kind }) => kind !== undefined);
	if (notices.length === 0) return [events.map(itemOf)];
	const others = events.filter(({ kind }) => kind === undefined);
	return [others.map(itemOf), ...noticeOutputs(notices.map(itemOf), chosen).slice(1)];
};

export const failedOutputs = (events: readonly StreamEvent[], tries: number, reason: Reason): Outputs => [
	[],
	events.map((event) => failedItem(event, tries, reason)),
	[],
];

/** Notices are emitted on the last output. */
export const noticeOutputs = (notices: INodeExecutionData[], { afterwards }: Chosen): Outputs =>
	afterwards === 'failedEvents' ? [[], [], notices] : [[], notices];

export const itemOf = (event: StreamEvent): INodeExecutionData => ({ json: { ...event } as unknown as IDataObject });
