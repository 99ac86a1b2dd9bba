import { partsOf } from '@partner-exchange/core/adapters';
import { operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import type { IDataObject } from 'n8n-workflow';

/** What the service answered as items of n8n, untouched: one for each record of a list, or of a record made of several. */
export const itemsOf = (id: OperationId, answer: unknown): IDataObject[] =>
	(Array.isArray(answer) ? answer : partsOf(operationOf(id), answer)).map(asObject);

/** An item of n8n is an object, whatever the service sent. */
const asObject = (row: unknown): IDataObject =>
	typeof row === 'object' && row !== null && !Array.isArray(row) ? (row as IDataObject) : { value: row as IDataObject };
