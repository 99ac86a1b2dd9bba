import { ExchangeError } from '@partner-exchange/core';
import {
	isRead,
	routeOf,
	nameParts,
	operationIds,
	operationOf,
	type OperationId,
} from '@partner-exchange/core/catalogue';

/** An operation as the n8n form shows it: a resource, and an operation of that resource. */
export interface FormOperation {
	id: OperationId;
	resource: string;
	operation: string;
}

/** The resource and operation name of each catalogue entry. */
export const formOperations: readonly FormOperation[] = operationIds.map((id) => {
	const { resource, verb } = nameParts(id);
	return { id, resource, operation: operationName(id, verb) };
});

/** Follows n8n's naming: a list is `getAll`, any other read is `get...`, and a write keeps its verb. */
function operationName(id: OperationId, verb: string): string {
	const { list } = operationOf(id);
	const route = routeOf(operationOf(id));
	if (verb === 'list' && list) return 'getAll';
	return route?.startsWith('GET ') && verb !== 'get' ? `get${capital(verb)}` : verb;
}

/** What a person fixed of an order, or of an amount: "buy 10 USD/NGN at 1500", and "buy USD/NGN" where the run finds the quantity. */
const fixedInWords = `((raw) => {
	const fixed = (...names) => names.map((name) => raw[name]).filter((part) => part && !String(part).startsWith("=")).join(" ");
	if (!fixed("side")) return fixed("amount") && fixed("amount", "currency");
	return fixed("side", "quantity", "pair_id") + (raw.order_type === "limit" && fixed("price") ? " at " + raw.price : "");
})($rawParameter)`;

/** The words before that: nothing where the order is placed, and the name of the operation where it is only looked at. */
const operationWords = Object.fromEntries(
	formOperations.map(({ id, resource, operation }) => {
		const { label } = operationOf(id);
		return [`${resource}.${operation}`, [label, isRead(operationOf(id)) ? `${label}: ` : '']];
	}),
);

/**
 * What the canvas shows below the name of a node, which n8n takes from the operation: the order or the amount that is
 * fixed in it, or else the operation, by which a node that was given another name is known. n8n evaluates this as an
 * expression.
 */
export const operationInWords = `={{ ((words, fixed) => ($parameter["options"]?.["production"] ? "PRODUCTION " : "") + (fixed ? words[1] + fixed : words[0]))((${JSON.stringify(operationWords)})[$parameter["resource"] + "." + $parameter["operation"]] ?? [$parameter["operation"], ""], ${fixedInWords}) }}`;

export function operationAt(resource: string, operation: string): OperationId {
	const chosen = formOperations.find((each) => each.resource === resource && each.operation === operation);
	if (!chosen)
		throw new ExchangeError('invalid_input', {
			field: 'operation',
			what: `There is no operation "${operation}" of "${resource}"`,
			advice: 'Choose the operation from its list, which takes no expression; nothing was sent',
		});
	return chosen.id;
}

export function capital(word: string): string {
	return word.charAt(0).toUpperCase() + word.slice(1);
}

/** `partially_filled` as "Partially Filled" and `order_id` as "Order ID"; abbreviations such as `GTC` stay as they are. */
export const titleCase = (value: string): string => value.split(/[_-]/).map(titled).join(' ');

const ABBREVIATIONS = new Map([
	['html', 'HTML'],
	['id', 'ID'],
	['ids', 'IDs'],
	['url', 'URL'],
]);
const titled = (word: string): string =>
	ABBREVIATIONS.get(word) ?? (word.length <= 3 && word === word.toUpperCase() ? word : capital(word.toLowerCase()));

/** The options of the node itself, which the client does not have. */
export const SIDE_BY_SIDE = 'sideBySide';
export const PRODUCTION = 'production';

/** The order in which n8n lists choices. `localeCompare` would load the rules of a language, which takes 7 ms at a start. */
export const byName = (a: { name: string }, b: { name: string }): number =>
	a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1;
