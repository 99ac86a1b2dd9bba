import { operationIds, operationOf } from '@partner-exchange/core/catalogue';

/** What a fault can be aimed at: everything that goes over the wire by itself. */
export const targets: readonly { value: string; label: string }[] = operationIds
	.filter((id) => !['lookup', 'process'].includes(operationOf(id).run.via))
	.map((id) => ({ value: id, label: operationOf(id).label }));

export const labelOf = (id: string): string => targets.find(({ value }) => value === id)?.label ?? id;
