import { namesToRead } from '@partner-exchange/core/adapters';

/**
 * The mark of what the service sent and our nodes put into a message. The names in it belong to the order it is of, while
 * those in a row of a sheet belong to the order that the row asks for. A copy that Node-RED makes keeps the mark, and so
 * does one made with `{ ...msg.payload }`; text does not.
 */
const MARK = Symbol.for('partner-exchange.record');

const OWN = { writable: true, enumerable: true, configurable: true };

/**
 * Deep copy of a JSON value of the service, marked. A flow may change what it receives. Node-RED's `cloneMessage` handles
 * any value and is several times slower.
 */
export function recordCopy(value: unknown): unknown {
	if (value === null || typeof value !== 'object') return value;
	if (Array.isArray(value)) return value.map(recordCopy);
	const copied: Record<string | symbol, unknown> = {};
	for (const name of namesToRead(value)) {
		// The service chooses the names, and this one would be no name but the prototype.
		if (name === '__proto__') Object.defineProperty(copied, name, OWN);
		copied[name] = recordCopy((value as Record<string, unknown>)[name]);
	}
	copied[MARK] = true;
	return copied;
}

export const isRecord = (payload: object): boolean => MARK in payload;
