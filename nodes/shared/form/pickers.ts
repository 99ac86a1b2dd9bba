import { pickerChoices } from '@partner-exchange/core/adapters';
import { pickers, wildcard, type PickerId } from '@partner-exchange/core/catalogue';
import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyMode,
	INodePropertyOptions,
} from 'n8n-workflow';
import { capital } from './names';
import { connect } from '../account/connection';
import { nodeError } from '../host/errors';

/** A user is waiting for the list to open. */
const PICK_MS_MAX = 5_000;

/** The label of the mode in which the value is typed instead of picked. */
const typed: Record<PickerId, string> = {
	pair: 'Name',
	bank: 'Code',
	chain: 'Name',
	currency: 'Code',
	recipient: 'ID',
	order: 'ID',
	openOrder: 'ID',
	transaction: 'ID',
};

export const pickMode = (picker: PickerId): Pick<INodePropertyMode, 'displayName' | 'name'> => ({
	displayName: `By ${typed[picker]}`,
	name: typed[picker].toLowerCase(),
});

export const searchMethod = (picker: PickerId): string => `search_${picker}`;
export const loadMethod = (picker: PickerId): string => `load${capital(picker)}s`;

type Search = (this: ILoadOptionsFunctions, filter?: string) => Promise<INodeListSearchResult>;

/** One search method per picker of the catalogue. */
export const listSearch: Record<string, Search> = Object.fromEntries(
	(Object.keys(pickers) as PickerId[]).map((picker) => [searchMethod(picker), searchOf(picker)]),
);

function searchOf(picker: PickerId): Search {
	return async function (filter) {
		return { results: await offered(this, picker, filter) };
	};
}

/** Makes wildcard topics, for which only live messages exist. */
const allPairs: INodePropertyOptions = {
	name: 'All Pairs',
	value: wildcard.name,
	description: 'Live only: what is missed while the connection is lost is not read back',
};

/** The lists of the pickers for drop-downs that accept several values. */
export const loadOptions = {
	async loadPairs(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		return [allPairs, ...(await offered(this, 'pair'))];
	},
};

/** The current entries of a list, in the format of n8n. */
async function offered(
	host: ILoadOptionsFunctions,
	picker: PickerId,
	filter?: string,
): Promise<INodePropertyOptions[]> {
	try {
		const { client } = await connect(host);
		const rows = await pickerChoices(client, picker, filter, { signal: AbortSignal.timeout(PICK_MS_MAX) });
		return rows.map(({ label, value }) => ({ name: label, value }));
	} catch (error) {
		throw nodeError(host.getNode(), error);
	}
}
