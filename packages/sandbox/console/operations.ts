import { commandOf, operationIds, operationOf, routeOf } from '@partner-exchange/core/catalogue';

/** What a fault can be aimed at: everything that goes over the wire by itself. */
export const targets: readonly { value: string; label: string }[] = operationIds
	.filter((id) => routeOf(operationOf(id)) ?? commandOf(operationOf(id)))
	.map((id) => ({ value: id, label: operationOf(id).label }));

export const routes: readonly string[] = operationIds.flatMap((id) => routeOf(operationOf(id)) ?? []);

export const labelOf = (id: string): string => targets.find(({ value }) => value === id)?.label ?? id;
