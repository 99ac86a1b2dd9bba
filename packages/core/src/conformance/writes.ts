import { operationIds, operationOf, routeOf, type Field, type OperationId } from '../catalogue';
import { firstOf, textOf } from '../wire/payload';
import { differs, held, unclear, type Finding } from './finding';
import { isDone, recordsIn, replyText, type Reply, type Service } from './probe';

/** Assumptions that only a write can verify. Recipients are removed again; simulations move test money. */
export interface WriteOptions {
	write: boolean;
	/** Of the test account, for simulations. */
	email?: string;
	/** An account number that exists at the first bank of the list. */
	accountNumber?: string;
}

const NEEDS_WRITE = 'Run it again with --write, outside production';
const LABEL = 'partner-exchange-check';

const isWrite = (id: OperationId): boolean => !(routeOf(operationOf(id)) ?? 'GET ').startsWith('GET ');

/** What a write would tell, by the name of the assumption. */
const assumptions = (id: OperationId): string[] => [
	...Object.entries<Field>(operationOf(id).input)
		.filter(([, { assumed }]) => assumed !== undefined)
		.map(([name]) => `${id}.${name}`),
	...(operationOf(id).outputNotShown === undefined ? [] : [id]),
];

export async function checkWrites(service: Service, options: WriteOptions): Promise<Finding[]> {
	const told = options.write ? [...(await recipients(service, options)), ...(await simulations(service, options))] : [];
	const findings = new Map(told.map((finding) => [finding.about, finding]));
	return operationIds
		.filter(isWrite)
		.flatMap((id) =>
			assumptions(id).map(
				(about) =>
					findings.get(about) ??
					unclear(
						about,
						'only a write tells',
						options.write ? 'Try it by hand with what the provider documents' : NEEDS_WRITE,
					),
			),
		);
}

async function recipients(service: Service, { accountNumber }: WriteOptions): Promise<Finding[]> {
	const [bank] = recordsIn('wallet.banks', await service.ask('wallet.banks'));
	const bankCode = bank && firstOf(bank, ['bank_code', 'code', 'id']);
	const about = (name: string) => `recipient.create.${name}`;
	if (!bankCode || !accountNumber)
		return [
			unclear(about('account_number'), 'no account number to save', 'Give one that exists with --account-number'),
		];
	const account = { bank_code: bankCode, account_number: accountNumber };
	const verified = await service.ask('wallet.verifyAccount', { fields: account });
	const shown = confirmation(verified);
	const fields = { recipient_type: 'fiat', currency: 'NGN', label: LABEL, ...account };
	const created = await service.ask('recipient.create', { fields });
	const saved = recordOf(created);
	const id = saved && firstOf(saved, ['id', 'recipient_id']);
	if (!isDone(created) || !id)
		return [
			shown,
			differs(about('recipient_type'), replyText(created), 'Use the field Body with what the provider documents'),
		];
	const findings = Object.entries(fields).map(([name, value]) =>
		textOf(saved, name) === value
			? held(about(name), 'saved as sent')
			: differs(
					about(name),
					`saved as ${textOf(saved, name) ?? 'nothing'}`,
					'Use the field Body with what the provider documents',
				),
	);
	const params = { recipient_id: id };
	const updated = await service.ask('recipient.update', { params, fields: { label: `${LABEL}-2` } });
	const changed = textOf(recordOf(updated), 'label') === `${LABEL}-2`;
	const removed = await service.ask('recipient.delete', { params });
	return [
		shown,
		...findings,
		changed
			? held('recipient.update.label', 'changed as sent')
			: differs('recipient.update.label', replyText(updated), 'Use the field Body with what the provider documents'),
		isDone(removed)
			? held('recipient.delete', `${removed.status}`)
			: differs('recipient.delete', replyText(removed), `Remove the recipient ${LABEL} by hand`),
	];
}

const confirmation = (reply: Reply): Finding =>
	isDone(reply) && recordOf(reply) && firstOf(recordOf(reply)!, ['account_name', 'accountName', 'name', 'holder'])
		? held('wallet.verifyAccount', 'names the holder')
		: differs('wallet.verifyAccount', replyText(reply), 'Check the account number');

const recordOf = ({ data }: Reply) =>
	typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as Record<string, unknown>) : undefined;

/** The bodies of the deposits are shown; those of the withdrawals are tried as the same. */
async function simulations(service: Service, { email }: WriteOptions): Promise<Finding[]> {
	if (!email) return [];
	const fiat = { email, amount: '1.00', currency: 'NGN' };
	const [chain] = recordsIn('wallet.chains', await service.ask('wallet.chains'));
	const crypto = {
		email,
		amount: '1.00',
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
		const reply = await service.ask(id, { fields });
		for (const about of assumptions(id))
			findings.push(
				isDone(reply)
					? held(about, `${reply.status}`)
					: differs(about, replyText(reply), 'Use the field Body with what the provider documents'),
			);
	}
	return findings;
}
