import { operationIds, operationOf, routeOf, type Field, type OperationId } from '../catalogue';
import { equal, isDecimal } from '../decimal';
import { sleep } from '../ports';
import { firstOf, isItem, textOf, type Item } from '../wire/payload';
import { differs, holds, unclear, type Finding } from './finding';
import { recordsIn, replyText, type Reply, type Service } from './probe';
import { isSuccess } from '../wire/response';

/** Assumptions that only a write can verify. Recipients are removed again; simulations move test money. */
export interface WriteOptions {
	write: boolean;
	/** The identifier of the test account, which simulations need. */
	email?: string;
	/** An account number that exists at the first bank of the list. */
	accountNumber?: string;
}

const NEEDS_WRITE = 'Run it again with --write, outside production';
const BY_HAND = 'Try it by hand with what the provider documents';
const BODY = 'Enter what the provider documents in More Fields (JSON)';
const LABEL = 'partner-exchange-check';
/** An amount nobody else moves just now, so that its transaction is recognised. */
const AMOUNT = '1.07';
/** A simulated movement may take a moment until it is listed. */
const LOOKS_MAX = 5;
const LOOK_PAUSE_MS = 500;

const isRestWrite = (id: OperationId): boolean => !(routeOf(operationOf(id)) ?? 'GET ').startsWith('GET ');

/** What a write would tell, by the name of the assumption. */
const assumptions = (id: OperationId): string[] => [
	...Object.entries<Field>(operationOf(id).input)
		.filter(([, { assumed }]) => assumed !== undefined)
		.map(([name]) => `${id}.${name}`),
	...(operationOf(id).outputNotShown === undefined ? [] : [id]),
];

/** The writes that reads can be checked with, and what is left to do when those reads are done. */
export interface Writes {
	/** Removes what was saved, and says of every assumption about writes what became of it. */
	finish(): Promise<Finding[]>;
}

export async function beginWrites(service: Service, options: WriteOptions): Promise<Writes> {
	const moved = options.write ? await simulations(service, options) : [];
	const saved = options.write ? await saveRecipient(service, options) : undefined;
	return {
		finish: async () => {
			const judged = [...moved, ...(saved ? await saved.finish() : [])];
			const findings = new Map(judged.map((finding) => [finding.about, finding]));
			const untold = (about: string) =>
				options.write ? unclear(about, 'not tried', BY_HAND) : unclear(about, 'only a write shows it', NEEDS_WRITE);
			return operationIds
				.filter(isRestWrite)
				.flatMap((id) => assumptions(id).map((about) => findings.get(about) ?? untold(about)));
		},
	};
}

/** A service may accept a body it ignores, so only what can be read back afterwards counts. */
const unseen = (about: string, { status }: Reply): Finding =>
	unclear(about, `accepted (${status}), effect not seen`, BY_HAND);

/** What a recipient would tell that is saved, changed and removed. */
const shownByRecipient = [
	'wallet.verifyAccount',
	...['recipient_type', 'currency', 'label', 'bank_code', 'account_number'].map((name) => `recipient.create.${name}`),
	...['recipient.update.label', 'recipient.delete'],
];

async function saveRecipient(service: Service, { accountNumber }: WriteOptions): Promise<Writes> {
	const [bank] = recordsIn('wallet.banks', await service.ask('wallet.banks'));
	const bankCode = bank && firstOf(bank, ['bank_code', 'code', 'id']);
	const about = (name: string) => `recipient.create.${name}`;
	const only = (...findings: Finding[]): Writes => ({ finish: () => Promise.resolve(findings) });
	if (!bankCode || !accountNumber)
		return only(
			...shownByRecipient.map((each) =>
				unclear(each, 'no account number to save', 'Give one that exists with --account-number'),
			),
		);
	const account = { bank_code: bankCode, account_number: accountNumber };
	const confirmed = confirmation(await service.ask('wallet.verifyAccount', { fields: account }));
	const fields = { recipient_type: 'fiat', currency: 'NGN', label: LABEL, ...account };
	const created = await service.ask('recipient.create', { fields });
	const answered = recordOf(created);
	const id = answered && firstOf(answered, ['id', 'recipient_id']);
	if (!isSuccess(created)) return only(confirmed, differs(about('recipient_type'), replyText(created), BODY));
	const saved = id === undefined ? undefined : await recipientOf(service, id);
	if (id === undefined || !saved)
		return only(confirmed, ...Object.keys(fields).map((name) => unseen(about(name), created)));
	const findings = Object.entries(fields).map(([name, value]) =>
		textOf(saved, name) === value
			? holds(about(name), 'saved as sent')
			: differs(about(name), `saved as ${textOf(saved, name) ?? 'nothing'}`, BODY),
	);
	return { finish: async () => [confirmed, ...findings, ...(await changeAndRemove(service, id))] };
}

async function changeAndRemove(service: Service, id: string): Promise<Finding[]> {
	const params = { recipient_id: id };
	const label = `${LABEL}-2`;
	const updated = await service.ask('recipient.update', { params, fields: { label } });
	const changed = textOf(await recipientOf(service, id), 'label') === label;
	const removed = await service.ask('recipient.delete', { params });
	const isGone = (await recipientOf(service, id)) === undefined;
	const judged = (about: string, reply: Reply, isSeen: boolean, words: { holds: string; todo: string }): Finding =>
		isSeen && isSuccess(reply)
			? holds(about, words.holds)
			: isSuccess(reply)
				? unseen(about, reply)
				: differs(about, replyText(reply), words.todo);
	return [
		judged('recipient.update.label', updated, changed, { holds: 'changed as sent', todo: BODY }),
		judged('recipient.delete', removed, isGone, {
			holds: `${removed.status}, and gone from the list`,
			todo: `Remove the recipient ${LABEL} by hand`,
		}),
	];
}

async function recipientOf(service: Service, id: string): Promise<Item | undefined> {
	const records = recordsIn('recipient.list', await service.ask('recipient.list'));
	return records.find((record) => firstOf(record, ['id', 'recipient_id']) === id);
}

const confirmation = (reply: Reply): Finding =>
	isSuccess(reply) && recordOf(reply) && firstOf(recordOf(reply)!, ['account_name', 'accountName', 'name', 'holder'])
		? holds('wallet.verifyAccount', 'names the holder')
		: differs('wallet.verifyAccount', replyText(reply), 'Check the account number');

const recordOf = ({ data }: Reply): Item | undefined => (isItem(data) ? data : undefined);

/** The bodies of the deposits are shown; those of the withdrawals are tried as the same. */
async function simulations(service: Service, { email }: WriteOptions): Promise<Finding[]> {
	if (!email) return [];
	const fiat = { email, amount: AMOUNT, currency: 'NGN' };
	const [chain] = recordsIn('wallet.chains', await service.ask('wallet.chains'));
	const crypto = {
		email,
		amount: AMOUNT,
		asset: 'USDT',
		chain: (chain && firstOf(chain, ['chain', 'code', 'id'])) ?? '',
	};
	const bodies: Partial<Record<OperationId, Record<string, string>>> = {
		'simulation.fiatDeposit': fiat,
		'simulation.cryptoDeposit': crypto,
		'simulation.fiatWithdrawal': fiat,
		'simulation.cryptoWithdrawal': crypto,
		'simulation.productUpdate': { email, title: LABEL, body: LABEL },
	};
	const findings: Finding[] = [];
	for (const [id, fields] of Object.entries(bodies) as [OperationId, Record<string, string>][]) {
		const before = new Set((await movements(service)).keys());
		const reply = await service.ask(id, { fields });
		const isMoved = isSuccess(reply) && 'amount' in fields && (await isListed(service, before));
		for (const about of assumptions(id))
			findings.push(
				isMoved
					? holds(about, `${reply.status}, and its transaction is listed`)
					: isSuccess(reply)
						? unseen(about, reply)
						: differs(about, replyText(reply), BODY),
			);
	}
	return findings;
}

/** The transactions of our amount, by ID. */
async function movements(service: Service): Promise<Map<string, Item>> {
	const records = recordsIn('transaction.list', await service.ask('transaction.list'));
	const ours = records.filter((record) => {
		const amount = textOf(record, 'amount');
		return isDecimal(amount) && equal(amount, AMOUNT);
	});
	return new Map(ours.map((record) => [firstOf(record, ['id', 'transaction_id']) ?? '', record]));
}

async function isListed(service: Service, before: ReadonlySet<string>): Promise<boolean> {
	for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
		if ([...(await movements(service)).keys()].some((id) => !before.has(id))) return true;
		await sleep(service.ports.clock, LOOK_PAUSE_MS);
	}
	return false;
}
