import { oneOf, type Fields } from '../engine/order-request';
import { ACCESS_CLASSES, settingsDefault, type KeyGrant } from '../engine/seed';
import { textOf } from '../engine/recipients';
import { invalid } from '../engine/refusal';
import type { KeyAccess, Settings } from '../engine/state';

/** Validates settings and keys at run time: a mistyped value must not reach the data file. */

const MILLISECONDS_MAX = 366 * 86_400_000;

const choices = {
	selfTrade: ['cancel_taker', 'cancel_maker'],
	replaceQuantity: ['total', 'remaining'],
	transactionOutcome: ['completed', 'failed', 'cancelled'],
	marketMaker: ['off', 'live', 'quiet'],
} as const satisfies { [Name in keyof Settings]?: readonly Settings[Name][] };

export function readSettings(fields: Fields): Partial<Settings> {
	for (const [name, value] of Object.entries(fields)) {
		if (!Object.hasOwn(settingsDefault, name)) {
			throw invalid(
				'unknown_setting',
				`There is no setting ${name}. Known are ${Object.keys(settingsDefault).join(', ')}.`,
			);
		}
		if (Object.hasOwn(choices, name)) oneOf(fields, name, choices[name as keyof typeof choices]);
		else if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > MILLISECONDS_MAX) {
			throw invalid(`invalid_${name}`, `${name} must be a whole number of milliseconds.`);
		}
	}
	return fields;
}

export function readGrant(fields: Fields): KeyGrant {
	const { access, active } = fields;
	const known = (one: unknown): boolean => ACCESS_CLASSES.includes(one as KeyAccess);
	if (access !== undefined && !(Array.isArray(access) && access.every(known))) {
		throw invalid('invalid_access', `access must be a list of ${ACCESS_CLASSES.join(', ')}.`);
	}
	if (active !== undefined && typeof active !== 'boolean')
		throw invalid('invalid_active', 'active must be true or false.');
	return {
		key: textOf(fields, 'key'),
		access: access as KeyAccess[] | undefined,
		active,
		...(fields.email !== undefined && { email: textOf(fields, 'email') }),
		...(fields.environment !== undefined && { environment: oneOf(fields, 'environment', ['staging', 'production']) }),
	};
}
