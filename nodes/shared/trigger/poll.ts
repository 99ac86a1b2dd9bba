import {
	ExchangeError,
	pollBalances,
	pollTransactions,
	type BalanceEvent,
	type Client,
	type PollOptions,
} from '@partner-exchange/core';
import {
	exampleCrossing,
	OTHER_ACCOUNT,
	ownerOfPosition,
	withAccount,
	type PositionOwner,
} from '@partner-exchange/core/adapters';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { connect } from '../account/connection';
import { log } from '../host/log';
import { staticDataOf, type StaticData } from '../host/static-data';
import { beginPoll } from './poll-outage';
import { readWalletForm, type WalletChoice } from './wallet-form';

/** What a polling trigger stores between two polls, in n8n's static data of the node. */
interface StoredState {
	/** Whose the state is, and of which kind of event; a state of another one is ignored. */
	owner: PositionOwner;
	event: WalletChoice['event'];
	state: unknown;
	/** The limits the last poll reached, which the log says when they change. */
	limits?: string;
}

interface Polled {
	items: IDataObject[];
	state: unknown;
	learned: boolean;
}

/** Polls the wallet once; n8n calls this on the schedule of the node. */
export async function poll(host: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const outcome = beginPoll(host);
	try {
		const wanted = readWalletForm(host);
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
async function newItems(host: IPollFunctions, client: Client, wanted: WalletChoice): Promise<IDataObject[] | null> {
	const stored = host.getWorkflowStaticData('node');
	if (inUse.has(stored)) return null;
	const data = staticDataOf<StoredState>(host);
	inUse.add(stored);
	return await readInto(data, { host, client, wanted }).finally(() => inUse.delete(stored));
}

interface Poll {
	host: IPollFunctions;
	client: Client;
	wanted: WalletChoice;
}

/**
 * n8n stores what a poll learned only together with items, so a poll that learned something and has nothing to report
 * answers with no items: one execution, in which no node behind the trigger runs.
 */
async function readInto(data: StaticData<StoredState>, { host, client, wanted }: Poll): Promise<IDataObject[] | null> {
	const stored = data.read();
	const { owner, isOwn } = await ownerOfPosition(client, stored.owner);
	if (stored.owner && !isOwn) log(host, OTHER_ACCOUNT);
	const before = isOwn && stored.event === wanted.event ? stored.state : undefined;
	const limits: string[] = [];
	const warn = (text: string): void => void limits.push(text);
	const { items, state, learned } = await read(client, wanted, before, { signal: deadlineOf(host), warn });
	const reached = limits.join('. ');
	if (reached !== '' && reached !== stored.limits) log(host, reached);
	const said = reached === '' ? stored.limits : reached;
	const whose = { owner: await withAccount(client, owner), event: wanted.event };
	data.write({ ...whose, state, ...(said === undefined ? {} : { limits: said }) });
	return items.length > 0 || learned ? items : null;
}

/** n8n abandons a poll that exceeds its time budget; one that ends before that keeps what it read. */
const deadlineOf = (host: IPollFunctions): AbortSignal | undefined => {
	const budgetMs = (host as Partial<IPollFunctions>).getPollBudgetMs?.();
	return budgetMs === undefined ? undefined : AbortSignal.timeout(budgetMs);
};

async function read(client: Client, wanted: WalletChoice, before: unknown, options: PollOptions = {}): Promise<Polled> {
	if (wanted.event === 'transaction') {
		const { events, ...polled } = await pollTransactions(client, before, wanted.filters, options);
		return { items: events.map(({ transaction, ...change }) => ({ ...transaction, ...change })), ...polled };
	}
	const { events, ...polled } = await pollBalances(client, before, [wanted.threshold], options);
	return { items: events.map(itemOf), ...polled };
}

/** The balance with what happened to it, and the line in place of the whole threshold. */
const itemOf = ({ balance, threshold: { amount, field }, ...change }: BalanceEvent): IDataObject => ({
	...balance,
	...change,
	threshold: amount,
	field,
});

/** A test in the editor stores nothing: it returns the latest real transaction, or an example of the crossing. */
async function sample(client: Client, wanted: WalletChoice): Promise<IDataObject[]> {
	if (wanted.event === 'balance') return [itemOf(await exampleCrossing(client, wanted.threshold))];
	const { items } = await read(client, wanted, nothingKnown);
	if (items.length > 0) return items.slice(-1);
	throw new ExchangeError('not_found', {
		what: 'The wallet has no transaction that passes the filters',
		advice: 'Make one, for example with Simulate Fiat Deposit, or change the node, and test again',
	});
}

const nothingKnown = { version: 1, known: [], turn: 0 };
