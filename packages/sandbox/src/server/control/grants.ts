/** Checks what may be changed at run time, so that no mistyped value reaches the data file. */
import { ACCESS_CLASSES, settingsDefault } from '../../engine/seed';
import type { Settings } from '../../engine/state';
import type { ObjectSchema, Schema } from '../schema';

const MILLISECONDS_MAX = 366 * 86_400_000;

const choices = {
	selfTrade: ['cancel_taker', 'cancel_maker'],
	replaceQuantity: ['total', 'remaining'],
	transactionOutcome: ['completed', 'failed', 'cancelled'],
	marketMaker: ['off', 'live', 'quiet'],
} as const satisfies { [Name in keyof Settings]?: readonly Settings[Name][] };

const settingSchema = (name: string): Schema =>
	Object.hasOwn(choices, name)
		? { type: 'string', enum: choices[name as keyof typeof choices] }
		: { type: 'integer', maximum: MILLISECONDS_MAX, description: 'Milliseconds' };

export const settingsSchema: ObjectSchema = {
	type: 'object',
	properties: Object.fromEntries(Object.keys(settingsDefault).map((name) => [name, settingSchema(name)])),
};

export const emailSchema: Schema = { type: 'string', maxLength: 254, description: 'Email of an account' };

export const grantSchema: ObjectSchema = {
	type: 'object',
	properties: {
		key: { type: 'string', maxLength: 256 },
		email: { ...emailSchema, description: 'Its account; an unknown email opens one' },
		access: { type: 'array', items: { type: 'string', enum: ACCESS_CLASSES }, maxItems: ACCESS_CLASSES.length },
		environment: { type: 'string', enum: ['staging', 'production'] },
		active: { type: 'boolean' },
	},
	required: ['key'],
};
