import { formatUnits } from '../engine/amounts';
import { chainFor, chains } from '../engine/chains';
import { oneOf, unitsOf, type Fields } from '../engine/order-request';
import { findAccount } from '../engine/seed';
import { textOf } from '../engine/recipients';
import { invalid, notFound, Refusal } from '../engine/refusal';
import type { Movement } from '../engine/transactions';
import type { Action } from '../engine/actions';
import type { Call, Handler, RoutesOf } from './call';

/** Order of the checks: production (403), body (400), account (404). */
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

export const simulationRoutes: RoutesOf<'simulation'> = {
	'simulation.fiatDeposit': moving((fields) => fiat('deposit', fields)),
	'simulation.cryptoDeposit': moving((fields) => crypto('deposit', fields)),
	'simulation.fiatWithdrawal': moving((fields) => fiat('withdrawal', fields)),
	'simulation.cryptoWithdrawal': moving((fields) => crypto('withdrawal', fields)),
	'simulation.kybStatus': simulated((fields) => {
		const status = oneOf(fields, 'status', ['approved', 'pending', 'rejected']);
		return (accountId) => ({ kind: 'kyb', accountId, status });
	}),
	'simulation.productUpdate': simulated((fields) => {
		const title = fields.title === undefined ? 'Product update' : limitedText(fields, 'title', TITLE_CHARACTERS_MAX);
		const body =
			fields.body === undefined ? 'Something new is here.' : limitedText(fields, 'body', NOTICE_CHARACTERS_MAX);
		return (accountId) => ({ kind: 'notification', accountId, title, body });
	}),
};

const TITLE_CHARACTERS_MAX = 256;
const NOTICE_CHARACTERS_MAX = 4_096;

function limitedText(fields: Fields, name: string, charactersMax: number): string {
	const text = textOf(fields, name);
	if (text.length > charactersMax)
		throw invalid(`invalid_${name}`, `${name} may have at most ${charactersMax} characters.`);
	return text;
}

function fiat(kind: Movement['kind'], fields: Fields): Movement {
	// The interface shows no body for a withdrawal, so a field that can only have one value may be left out.
	const known = kind === 'withdrawal' ? { currency: 'NGN', ...fields } : fields;
	const currency = oneOf(known, 'currency', ['NGN']);
	return { kind, rail: 'fiat', currency, settlementRail: null, chain: null, amount: amountOf(fields) };
}

function crypto(kind: Movement['kind'], fields: Fields): Movement {
	const asset = textOf(fields, 'asset');
	const chain = chainFor(textOf(fields, 'chain'), asset);
	return { kind, rail: 'crypto', currency: 'USD', settlementRail: asset, chain: chain.code, amount: amountOf(fields) };
}

/** The transaction of a simulated deposit or withdrawal, by currency: NGN through a bank, USD as USDT. */
export const simulatedMovement = ({ type, currency, amount }: Fields): Movement =>
	currency === 'NGN'
		? fiat(type as Movement['kind'], { currency, amount })
		: crypto(type as Movement['kind'], { asset: 'USDT', chain: chains[0]?.code, amount });

const AMOUNT_MAX = 10n ** 15n;

function amountOf(fields: Fields): bigint {
	const units = unitsOf(fields, 'amount', 2);
	if (units <= 0n) throw invalid('amount_too_small', 'amount must be above zero.');
	if (units > AMOUNT_MAX) throw invalid('amount_too_large', `amount may be at most ${formatUnits(AMOUNT_MAX, 2)}.`);
	return units;
}
