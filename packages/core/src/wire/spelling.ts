import { operationIds, operationOf, type Shape } from '../catalogue';
import { isItem, plainWord, type Item } from './payload';
import { recordNames } from './records';

const fieldsOf = (shape: Shape): string[] =>
	typeof shape === 'string' ? [] : Object.entries(shape).flatMap(([name, part]) => [name, ...fieldsOf(part)]);

/** Every name that a field of an answer may have, by its letters and digits alone. */
const names = new Set([
	...operationIds.flatMap((id) => fieldsOf(operationOf(id).output)),
	...Object.values(recordNames).flatMap((kind) => Object.values<readonly string[]>(kind).flat()),
]);
const meant = new Map([...names].map((name) => [plainWord(name), name]));

/** Puts what comes under another spelling of a name, such as `filledQuantity` or `orderID`, under that name too. */
export function respell<Value>(value: Value): Value {
	if (Array.isArray(value)) value.forEach(respell);
	else if (isItem(value))
		for (const name in value) {
			const part = value[name];
			if (typeof part === 'object') respell(part);
			if (names.has(name) || !/^[a-z][\w -]*$/i.test(name)) continue;
			const usual = meant.get(plainWord(name));
			if (usual !== undefined && !Object.hasOwn(value, usual)) (value as Item)[usual] = part;
		}
	return value;
}
