import { ExchangeError, type Client } from '@partner-exchange/core';
import {
	exampleOf,
	isLost,
	ownCheckpoint,
	pollWatch,
	withAccount,
	type CheckpointOwner,
	type Watch,
	type WatchEvent,
	readWatch,
	type StoredFields,
} from '@partner-exchange/core/adapters';
import type { IDataObject, INodeExecutionData, INodeProperties, IPollFunctions } from 'n8n-workflow';
import { connect } from '../account/connection';
import { log } from '../host/log';
import { staticDataOf, type StaticData } from '../host/static-data';
import { inOneText, nodeError } from '../host/errors';
import { isActivatedByN8n, isNews, recovered } from './reports';
import { watchable } from '@partner-exchange/core/catalogue';
import { addedTo, picked, triggerForm, refuseStrays, withStrays, type Form, type TriggerForm } from '../form/property';

/** What a polling trigger stores between two polls, in n8n's static data of the node. */
interface StoredState {
	/** Whose the state is, and of which kind of event; a state of another one is ignored. */
	owner: CheckpointOwner;
	event: Watch['event'];
	state: unknown;
	/** The limits the last poll reached, which the log says when they change. */
	limits?: string;
}

/** Polls once; n8n calls this on the schedule of the node. */
export async function poll(host: IPollFunctions, form: Form): Promise<INodeExecutionData[][] | null> {
	const outcome = beginPoll(host);
	try {
		const wanted = readWatchForm(host, form);
		const { client } = await connect(host);
		const items = host.getMode() === 'manual' ? await sample(client, wanted) : await newItems(host, client, wanted);
		outcome.succeeded();
		return items && [items.map((json) => ({ json }))];
	} catch (error) {
		outcome.failed(error);
		return null;
	}
}

/** Static data of nodes that are polling now. */
const inUse = new WeakSet<object>();

/**
 * n8n begins a poll at its time even while the one before still reads, as it does where the service is slow. Both would
 * report the same, so the later one reports nothing. Null where there is nothing to report and nothing to store.
 */
async function newItems(host: IPollFunctions, client: Client, wanted: Watch): Promise<IDataObject[] | null> {
	const stored = host.getWorkflowStaticData('node');
	if (inUse.has(stored)) return null;
	const data = staticDataOf<StoredState>(host);
	inUse.add(stored);
	return await readInto(data, { host, client, wanted }).finally(() => inUse.delete(stored));
}

interface Poll {
	host: IPollFunctions;
	client: Client;
	wanted: Watch;
}

/**
 * n8n stores what a poll learned only together with items, so a poll that learned something and has nothing to report
 * answers with no items: one execution, in which no node behind the trigger runs.
 */
async function readInto(data: StaticData<StoredState>, { host, client, wanted }: Poll): Promise<IDataObject[] | null> {
	const { owner, stored: found } = await ownCheckpoint(client, data.read(), (text) => log(host, text));
	const stored = isLost(found) ? undefined : found;
	const before = isLost(found) ? found : stored?.event === wanted.event ? stored.state : undefined;
	const limits: string[] = [];
	const warn = (text: string): void => void limits.push(text);
	const { events, state, learned } = await pollWatch(client, before, wanted, { signal: deadlineOf(host), warn });
	const reached = limits.join('. ');
	if (reached !== '' && reached !== stored?.limits) log(host, reached);
	const said = reached === '' ? stored?.limits : reached;
	const whose = { owner: await withAccount(client, owner), event: wanted.event };
	data.write({ ...whose, state, ...(said === undefined ? {} : { limits: said }) });
	return events.length > 0 || learned ? events.map(itemOf) : null;
}

/** n8n abandons a poll that exceeds its time budget, so it ends before that, and says why. */
const deadlineOf = (host: IPollFunctions): AbortSignal | undefined => {
	const budgetMs = (host as Partial<IPollFunctions>).getPollBudgetMs?.();
	return budgetMs === undefined ? undefined : AbortSignal.timeout(budgetMs);
};

/** The record with what happened to it. The marks of an example come first, so that a table shows them. */
const itemOf = ({ eventKey, record, facts: { example, already_past, ...facts } }: WatchEvent): IDataObject => ({
	...(example === true ? { example } : {}),
	...(typeof already_past === 'string' ? { already_past } : {}),
	...record,
	...facts,
	eventKey,
});

/** A test in the editor stores nothing: it returns the latest real transaction, or an example of the crossing. */
async function sample(client: Client, wanted: Watch): Promise<IDataObject[]> {
	const event = await exampleOf(client, wanted);
	if (event) return [itemOf(event)];
	throw new ExchangeError('not_found', {
		what: 'The wallet has no transaction that passes the filters',
		advice: 'Make one, for example with Simulate Fiat Deposit, or change the node, and test again',
	});
}

/** Activations that have polled before. */
const begun = new WeakSet<IPollFunctions>();

/** What becomes of a poll. */
interface PollOutcome {
	succeeded(): void;
	/**
	 * Throws an error that n8n has to know: to a person who publishes at once, and otherwise once for each outage, for
	 * which n8n starts the error workflow. A start of n8n never fails, because n8n tries for 15 seconds and then leaves
	 * the trigger dead.
	 */
	failed(error: unknown): void;
}

function beginPoll(host: IPollFunctions): PollOutcome {
	const isFirst = !begun.has(host);
	begun.add(host);
	return {
		succeeded: () => {
			if (recovered(host)) log(host, 'The wallet is read again');
		},
		failed: (error) => {
			const failure = nodeError(host.getNode(), error);
			if (host.getMode() !== 'manual' && isFirst && isActivatedByN8n(host))
				return log(host, `${inOneText(failure).message}. The trigger tries again at its next time`);
			if (host.getMode() === 'manual') throw failure;
			if (isFirst) throw inOneText(failure);
			if (isNews(host, error)) throw failure;
		},
	};
}

export const watchForm = (): INodeProperties[] =>
	withStrays([
		{
			displayName: 'Trigger On',
			name: 'event',
			type: 'options',
			noDataExpression: true,
			options: Object.entries(watchable).map(([value, { label, help }]) => ({ name: label, value, description: help })),
			default: 'transaction',
		},
		...Object.entries(watchable).flatMap(([event, form]) => triggerForm(form, { event: [event] })),
	]);

/** The chosen event under its name in the form. n8n evaluates this as an expression. */
export const eventInWords = `={{ (${JSON.stringify(
	Object.fromEntries(Object.entries(watchable).map(([value, { label }]) => [value, label])),
)})[$parameter["event"]] }}`;

/** Filters, options and a picked value may be absent, as where another event was chosen before. */
function readWatchForm(host: Pick<IPollFunctions, 'getNode' | 'getNodeParameter'>, shown: Form): Watch {
	refuseStrays(host.getNode(), shown);
	const event = host.getNodeParameter('event', '');
	const form: TriggerForm | undefined = Object.entries(watchable).find(([id]) => id === event)?.[1];
	const stored = {
		...Object.fromEntries(Object.keys(form?.fields ?? {}).map((name) => [name, host.getNodeParameter(name, '')])),
		...addedTo(host, form ?? {}),
	};
	const values: StoredFields = Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, picked(value)]));
	return readWatch(event, values);
}
