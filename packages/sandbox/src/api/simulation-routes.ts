import { parseUnits } from '../engine/amounts';
import { chainFor } from '../engine/chains';
import { oneOf, type Fields } from '../engine/order-request';
import { findAccount } from '../engine/seed';
import { textOf } from '../engine/recipients';
import { invalid, notFound, Refusal } from '../engine/refusal';
import type { Movement } from '../engine/transactions';
import type { Action } from '../engine/actions';
import type { Call, Handler } from './call';

type SimulationRoute =
	| 'simulation.fiatDeposit'
	| 'simulation.cryptoDeposit'
	| 'simulation.fiatWithdrawal'
	| 'simulation.cryptoWithdrawal'
	| 'simulation.kybStatus'
	| 'simulation.productUpdate';

/** Refusals come in this order: not in production (403), an invalid body (400), an unknown account (404). */
const simulated =
	(read: (fields: Fields) => (accountId: string) => Action): Handler =>
	({ production, body, state, apply }: Call) => {
		if (production)
			throw new Refusal('unavailable', 'simulation_unavailable', 'Simulation is not available in production.');
		const email = textOf(body, 'email');
		const action = read(body);
		const account = findAccount(state, email);
		if (!account) throw notFound('unknown_account', 'There is no test account with this email.');
		return { data: apply(action(account.id)).data, created: true };
	};

const moving = (read: (fields: Fields) => Movement): Handler =>
	simulated((fields) => {
		const movement = read(fields);
		return (accountId) => ({ kind: 'transaction', accountId, movement });
	});

export const simulationRoutes: Record<SimulationRoute, Handler> = {
	'simulation.fiatDeposit': moving((fields) => fiat('deposit', fields)),
	'simulation.cryptoDeposit': moving((fields) => crypto('deposit', fields)),
	'simulation.fiatWithdrawal': moving((fields) => fiat('withdrawal', fields)),
	'simulation.cryptoWithdrawal': moving((fields) => crypto('withdrawal', fields)),
	'simulation.kybStatus': simulated((fields) => {
		const status = oneOf(fields, 'status', ['approved', 'pending', 'rejected']);
		return (accountId) => ({ kind: 'kyb', accountId, status });
	}),
	'simulation.productUpdate': simulated((fields) => {
		const title = fields.title === undefined ? 'Product update' : textOf(fields, 'title');
		const body = fields.body === undefined ? 'Something new is here.' : textOf(fields, 'body');
		return (accountId) => ({ kind: 'notification', accountId, title, body });
	}),
};

function fiat(kind: Movement['kind'], fields: Fields): Movement {
	const currency = oneOf(fields, 'currency', ['NGN']);
	return { kind, rail: 'fiat', currency, settlementRail: null, chain: null, amount: amountOf(fields) };
}

function crypto(kind: Movement['kind'], fields: Fields): Movement {
	const asset = textOf(fields, 'asset');
	const chain = chainFor(textOf(fields, 'chain'), asset);
	return { kind, rail: 'crypto', currency: 'USD', settlementRail: asset, chain: chain.code, amount: amountOf(fields) };
}

const AMOUNT_MAX = 10n ** 15n;

function amountOf(fields: Fields): bigint {
	const units = typeof fields.amount === 'string' ? parseUnits(fields.amount, 2) : 'malformed';
	if (typeof units === 'string' || units <= 0n || units > AMOUNT_MAX) {
		throw invalid('invalid_amount', 'amount must be a decimal string above zero with at most 2 decimals.');
	}
	return units;
}
