import type { IDataObject } from 'n8n-workflow';

/** What the service answered as items of n8n, untouched. */
export const itemsOf = (answer: unknown): IDataObject[] => (Array.isArray(answer) ? answer : [answer]).map(asObject);

/** An item of n8n is an object, whatever the service sent. */
const asObject = (row: unknown): IDataObject =>
	typeof row === 'object' && row !== null && !Array.isArray(row) ? (row as IDataObject) : { value: row as IDataObject };
