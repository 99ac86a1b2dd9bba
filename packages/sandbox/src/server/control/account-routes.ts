import { randomUUID } from 'node:crypto';
import type { CommandAction } from '@partner-exchange/core/catalogue';
import { simulatedMovement } from '../../api/simulation-routes';
import { fingerprintOf } from '../../engine/idempotency';
import type { Fields } from '../../engine/order-request';
import type { SandboxContext } from '../context';
import type { Schema } from '../schema';
import { emailSchema } from './grants';
import { accountOf, act, object, text, type ControlRoute, type ControlRoutes } from './route';

const orderFields = {
	email: { ...emailSchema, description: 'The trader when absent' },
	pair_id: text('Pair'),
	side: { type: 'string', enum: ['buy', 'sell'] },
	order_type: { type: 'string', enum: ['limit', 'market'] },
	quantity: text('Decimal'),
	price: text('Decimal, for limit orders'),
	time_in_force: { type: 'string', enum: ['GTC', 'IOC', 'FOK', 'POST_ONLY'] },
	client_order_id: text('Of the caller'),
} as const satisfies Record<string, Schema>;

/** Routes by which a user of the console trades by hand. Faults do not apply to them. */
export function accountRoutes(context: SandboxContext): ControlRoutes {
	const order = (kind: CommandAction, { email, ...fields }: Fields) => {
		const key = `console-${randomUUID()}`;
		const accountId = accountOf(context, email).id;
		return act(context, { kind, accountId, fields, key, fingerprint: fingerprintOf(kind, fields) });
	};
	return {
		'POST orders': {
			summary: 'Places an order for an account',
			body: object(orderFields, ['pair_id', 'side', 'order_type', 'quantity']),
			answers: ['order_id', 'status', 'created_at'],
			run: (body) => order('order_create', body),
		},
		'DELETE orders': {
			summary: 'Cancels an open order of an account',
			body: object({ email: orderFields.email, pair_id: text('Pair'), order_id: text('Order') }, [
				'pair_id',
				'order_id',
			]),
			answers: ['order_id', 'status', 'cancelled_at'],
			run: (body) => order('order_cancel', body),
		},
		'POST transactions': transactionRoute(context),
	};
}

const transactionRoute = (context: SandboxContext): ControlRoute => ({
	summary: 'Deposits to an account, or withdraws from it',
	body: object(
		{
			email: orderFields.email,
			type: { type: 'string', enum: ['deposit', 'withdrawal'] },
			currency: { type: 'string', enum: ['NGN', 'USD'] },
			amount: text('Decimal'),
		},
		['type', 'currency', 'amount'],
	),
	answers: [
		'id',
		'type',
		'rail',
		'currency',
		'settlement_rail',
		'chain',
		'amount',
		'status',
		'reference',
		'created_at',
		'updated_at',
	],
	run: (body) =>
		act(context, {
			kind: 'transaction',
			accountId: accountOf(context, body.email).id,
			movement: simulatedMovement(body),
		}),
});
