import type { Fields } from '../../engine/order-request';
import { invalid, notFound } from '../../engine/refusal';
import { findAccount, TRADER_EMAIL } from '../../engine/seed';
import type { AccountView } from '../../engine/state';
import type { SandboxContext } from '../context';
import type { ObjectSchema, Schema } from '../schema';
import type { StreamServer } from '../stream';

/** One route of the control API. The same table serves it, describes it and validates requests. */
export interface ControlRoute {
	summary: string;
	body?: ObjectSchema;
	query?: Readonly<Record<string, Schema>>;
	/** Served to other machines without the token as well. */
	open?: true;
	run(body: Fields, query: URLSearchParams): unknown;
}

/** Routes by method and path below the prefix. */
export type ControlRoutes = Readonly<Record<string, ControlRoute>>;

export interface ControlParts {
	addresses(): object;
	stream: Pick<StreamServer, 'clients' | 'drained'>;
}

export const text = (description: string): Schema => ({ type: 'string', description });
export const object = (properties: ObjectSchema['properties'], required: string[] = []): ObjectSchema => ({
	type: 'object',
	properties,
	required,
});

export function act({ exchange }: SandboxContext, action: Parameters<SandboxContext['exchange']['apply']>[0]): object {
	exchange.catchUp();
	return exchange.apply(action).data;
}

export function accountOf({ exchange }: SandboxContext, email: unknown = TRADER_EMAIL): AccountView {
	if (typeof email !== 'string') throw invalid('invalid_email', 'email must be a text.');
	const account = findAccount(exchange.engine.state, email);
	if (!account) throw notFound('unknown_account', 'There is no account with this email.');
	return account;
}
