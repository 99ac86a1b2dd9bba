/** Whose a stored position is: a position of another account would make everything that account has look new. */
import { isExchangeError } from './errors';
import { isOwnedBy, ownerOf, type EntryOwner } from './orders/journal';
import { isLost, type LOST } from './sealed';
import { digestOf } from './wire/intent-key';
import { isItem } from './wire/payload';
import { named } from './wire/records';
import type { UntypedClient } from './client/contract';

export interface PositionOwner extends EntryOwner {
	/** A digest of what only one account has: its deposit account. Null where the key may not read it. */
	account?: string | null;
}

type AccountReader = Pick<UntypedClient, 'account' | 'call'>;

const OTHER_ACCOUNT =
	'The key or the address has changed, and nothing shows that it is of the account that the stored position belongs to, so this node begins from now: what happened before is not reported';

/** An answer may still come, so nothing is decided without it. */
const NO_ANSWER: readonly string[] = [
	...['unreachable', 'timeout', 'rate_limited', 'unauthorized', 'aborted', 'unavailable', 'malformed_response'],
];

/**
 * The account that reads now, and the stored position if it is that account's, or lost. A position of another account
 * is not taken, and a warning says so.
 *
 * @throws An {@link ExchangeError} where the key changed and no answer says whose it is.
 */
export async function ownPosition<Stored extends { owner?: unknown }>(
	client: AccountReader,
	stored: Stored | typeof LOST | undefined,
	say: (text: string) => void,
): Promise<{ owner: PositionOwner; position: Stored | typeof LOST | undefined }> {
	const before = isItem(stored) && 'owner' in stored ? stored.owner : undefined;
	const { owner, isOwn } = await ownerOfPosition(client, before);
	if (before !== undefined && !isOwn) say(OTHER_ACCOUNT);
	return { owner, position: isOwn || isLost(stored) ? stored : undefined };
}

/** The same key is the same account; another key is where both show the same deposit account. */
async function ownerOfPosition(
	client: AccountReader,
	stored: unknown,
): Promise<{ owner: PositionOwner; isOwn: boolean }> {
	const now = ownerOf(client.account);
	if (!isOwner(stored) || stored.address !== now.address) return { owner: now, isOwn: false };
	if (isOwnedBy(stored, now)) return { owner: stored, isOwn: true };
	const account = await accountBehind(client);
	return { owner: { ...now, account }, isOwn: account !== null && account === stored.account };
}

/** The owner with its account, for the day on which its key changes. Where no answer comes, it is asked for again. */
export const withAccount = async (client: AccountReader, owner: PositionOwner): Promise<PositionOwner> =>
	owner.account === undefined
		? await accountBehind(client).then(
				(account) => ({ ...owner, account }),
				() => owner,
			)
		: owner;

async function accountBehind(client: AccountReader): Promise<string | null> {
	try {
		const { account_number: number } = named('depositAccount', await client.call('wallet.depositAccount', {}));
		return number === undefined || !isWhole(number) ? null : digestOf(['account', number]).slice(0, 16);
	} catch (error) {
		if (!isExchangeError(error) || NO_ANSWER.includes(error.code)) throw error;
		return null;
	}
}

/** A masked number, or a placeholder for one, may be the same for two accounts. */
const isWhole = (number: string): boolean => !number.includes('*') && /[1-9]/.test(number);

const isOwner = (stored: unknown): stored is PositionOwner =>
	isItem(stored) && typeof stored.address === 'string' && typeof stored.key === 'string';
