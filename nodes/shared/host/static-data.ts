import { ExchangeError } from '@partner-exchange/core';
import type { IDataObject } from 'n8n-workflow';

/**
 * What n8n stores for a node. A damaged or imported workflow may hold anything in its place; a position that cannot be
 * stored would repeat or lose events after a restart, so nothing is begun then.
 */
export function staticDataOf(host: { getWorkflowStaticData(type: 'node'): unknown }): IDataObject {
	const stored = host.getWorkflowStaticData('node');
	if (typeof stored === 'object' && stored !== null && !Array.isArray(stored)) return stored as IDataObject;
	throw new ExchangeError('not_available', {
		what: "What n8n stores for this node is damaged: the workflow's static data holds no record under its name",
		advice: 'Rename the node, so that it begins a new record, and activate the workflow again',
	});
}
