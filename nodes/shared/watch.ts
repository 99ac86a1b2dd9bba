import { ExchangeError, pollBalances, pollTransactions, type Client, type Threshold } from '@partner-exchange/core';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { ownerOf } from './account';
import { connect } from './connection';
import { nodeError } from './errors';
import { readWatch, type Watch } from './watch-form';

/** What a polling trigger keeps between two looks, in n8n's static data of the node. */
interface Kept {
	/** What the memory is about: another account or another question starts afresh. */
	about?: string;
	state?: unknown;
}

interface Look {
	items: IDataObject[];
	state: unknown;
}

/** Looks at the wallet once, as often as the schedule of the node says. */
export async function watch(host: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	try {
		const wanted = readWatch(host);
		const { client } = await connect(host);
		const items = host.getMode() === 'manual' ? await example(client, wanted) : await news(host, client, wanted);
		return items.length > 0 ? [items.map((json) => ({ json }))] : null;
	} catch (error) {
		throw nodeError(host.getNode(), error);
	}
}

async function news(host: IPollFunctions, client: Client, wanted: Watch): Promise<IDataObject[]> {
	const kept = host.getWorkflowStaticData('node') as Kept;
	const about = JSON.stringify([ownerOf(host, client.account), wanted.event]);
	const { items, state } = await look(client, wanted, kept.about === about ? kept.state : undefined, deadlineOf(host));
	Object.assign(kept, { about, state });
	return items;
}

/** n8n gives up on a look that takes too long; giving up first keeps the old memory. */
const deadlineOf = (host: IPollFunctions): AbortSignal | undefined => {
	const budgetMs = (host as Partial<IPollFunctions>).getPollBudgetMs?.();
	return budgetMs === undefined ? undefined : AbortSignal.timeout(budgetMs);
};

async function look(client: Client, wanted: Watch, before: unknown, signal?: AbortSignal): Promise<Look> {
	if (wanted.event === 'transaction') {
		const { events, state } = await pollTransactions(client, before, wanted.filters, { signal });
		return { items: events.map(({ transaction, ...change }) => ({ ...transaction, ...change })), state };
	}
	const { events, state } = await pollBalances(client, before, [wanted.threshold], { signal });
	const items = events.map(({ balance, threshold, ...change }) => ({ ...balance, ...change, ...lineOf(threshold) }));
	return { items, state };
}

const lineOf = ({ amount, field }: Threshold) => ({ threshold: amount, field });

/** A test in the editor answers with the latest real record and remembers nothing. */
async function example(client: Client, wanted: Watch): Promise<IDataObject[]> {
	const found =
		wanted.event === 'transaction' ? await look(client, wanted, nothingKnown) : await lookAcross(client, wanted);
	if (found.items.length > 0) return found.items.slice(-1);
	throw new ExchangeError('not_found', {
		what:
			wanted.event === 'transaction'
				? 'The wallet has no transaction that passes the filters'
				: 'The wallet has no balance in this currency',
		advice: 'Make one, for example with Simulate Fiat Deposit, or change the node, and test again',
	});
}

const nothingKnown = { version: 1, known: [], turn: 0 };

/** The balance as it would be reported if it had just crossed the line. */
async function lookAcross(client: Client, wanted: Extract<Watch, { event: 'balance' }>): Promise<Look> {
	const threshold: Threshold = { ...wanted.threshold, direction: 'both' };
	const { state } = await pollBalances(client, undefined, [threshold]);
	const turned = Object.entries(state.lines).map(([name, line]) => [
		name,
		{ ...line, side: line.side === 'below' ? 'above' : 'below' },
	]);
	return await look(client, { ...wanted, threshold }, { ...state, lines: Object.fromEntries(turned) as object });
}
