import { operationOf, type Field, type OperationId } from '@partner-exchange/core/catalogue';

/** A valid input for every field of an operation, so that its call is sent. */
export const inputOf = (id: OperationId): Record<string, unknown> =>
	Object.fromEntries(Object.entries<Field>(operationOf(id).input).map(([name, field]) => [name, sample(name, field)]));

const texts: Readonly<Record<string, string>> = { pair: 'USD/NGN', currency: 'NGN', email: 'trader@sandbox.test' };
function sample(name: string, field: Field): unknown {
	if (field.values) return field.values[0];
	const values = {
		decimal: '10.00',
		integer: 5,
		boolean: true,
		timestamp: '2026-01-05T09:00:00Z',
		json: {},
		id: 'id-1',
	};
	if (field.kind in values) return values[field.kind as keyof typeof values];
	return texts[field.pick ?? ''] ?? texts[name] ?? 'text';
}
