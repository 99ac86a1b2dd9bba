/** Whose a stored checkpoint is: a checkpoint of another account would make everything that account has look new. */
import { isExchangeError, type ExchangeError } from './errors';
import { isOwnedBy, ownerOf, type EntryOwner } from './orders/journal';
import { isLost, type LOST } from './sealed';
import { digestOf } from './wire/intent-key';
import { isItem, type Item } from './wire/payload';
import { named } from './wire/records';
import type { UntypedClient } from './client/contract';

export interface CheckpointOwner extends EntryOwner {
	/** A digest of what only one account has: its deposit account. Null where the key may not read it. */
	account?: string | null;
	/** What was stored for the account before it: a node that is set back to that one goes on there. */
	before?: unknown;
}

type AccountReader = Pick<UntypedClient, 'account' | 'call'>;

const OTHER_ACCOUNT =
	'The key or the address has changed, and nothing shows that it is of the account that the stored checkpoint belongs to, so this node begins from now: what happened before is not reported';

/** An answer may still come, so nothing is decided without it. */
const mayStillCome = (error: ExchangeError): boolean =>
	error.retryable || error.code === 'unauthorized' || error.code === 'aborted';

/**
 * The account that reads now, and what was stored for it, or lost. A checkpoint of another account is not taken, and a
 * warning says so; it is kept for the day on which that account reads again.
 *
 * @throws An {@link ExchangeError} where the key changed and no answer says whose it is.
 */
export async function ownCheckpoint<Stored extends { owner?: unknown }>(
	client: AccountReader,
	stored: Stored | typeof LOST | undefined,
	say: (text: string) => void,
): Promise<{ owner: CheckpointOwner; stored: Stored | typeof LOST | undefined }> {
	const before = isItem(stored) && 'owner' in stored ? stored : undefined;
	for (const own of [before, storedBefore(before)]) {
		const owner = own && (await ownerIfOwn(client, own.owner));
		if (!owner) continue;
		const other = own === before ? storedBefore(before) : before;
		return { owner: beside(owner, other), stored: own as Stored };
	}
	if (before) say(OTHER_ACCOUNT);
	return { owner: beside(ownerOf(client.account), before), stored: isLost(stored) ? stored : undefined };
}

/** The same key is the same account; another key is where both show the same deposit account. */
async function ownerIfOwn(client: AccountReader, stored: unknown): Promise<CheckpointOwner | undefined> {
	const now = ownerOf(client.account);
	if (!isOwner(stored) || stored.address !== now.address) return undefined;
	if (isOwnedBy(stored, now)) return stored;
	const account = await accountBehind(client);
	return account !== null && account === stored.account ? { ...now, account } : undefined;
}

const storedBefore = (stored: Item | undefined): Item | undefined =>
	isItem(stored?.owner) && isItem(stored.owner.before) ? stored.owner.before : undefined;

/** An owner that keeps what was stored for another one, which keeps none itself. */
const beside = (owner: CheckpointOwner, other: Item | undefined): CheckpointOwner => ({
	...owner,
	before: isOwner(other?.owner) ? { ...other, owner: { ...other.owner, before: undefined } } : undefined,
});

/** The owner with its account, for the day on which its key changes. Where no answer comes, it is asked for again. */
export const withAccount = async (client: AccountReader, owner: CheckpointOwner): Promise<CheckpointOwner> =>
	owner.account === undefined
		? await accountBehind(client).then(
				(account) => ({ ...owner, account }),
				() => owner,
			)
		: owner;

async function accountBehind(client: AccountReader): Promise<string | null> {
	try {
		const { account_number: number } = named('depositAccount', await client.call('wallet.depositAccount', {}));
		return number === undefined || !isUnmasked(number) ? null : digestOf(['account', number]).slice(0, 16);
	} catch (error) {
		if (!isExchangeError(error) || mayStillCome(error)) throw error;
		return null;
	}
}

/** A masked number, or a placeholder for one, may be the same for two accounts. */
const isUnmasked = (number: string): boolean => !number.includes('*') && /[1-9]/.test(number);

const isOwner = (stored: unknown): stored is CheckpointOwner =>
	isItem(stored) && typeof stored.address === 'string' && typeof stored.key === 'string';
