import { stablecoins } from '../engine/chains';
import { recipientRecord } from '../engine/records';
import { invalid } from '../engine/refusal';
import type { RoutesOf } from './call';

const knownCurrencies: readonly string[] = ['NGN', 'USD', ...stablecoins];

export const recipientRoutes: RoutesOf<'recipient'> = {
	'recipient.create': ({ apply, account, body }) => ({
		data: apply({ kind: 'recipient.create', accountId: account.id, fields: body }).data,
		created: true,
	}),

	'recipient.list'({ account, query }) {
		const [type, currency] = [query.get('recipient_type'), query.get('currency')];
		if (type !== null && type !== 'fiat' && type !== 'crypto')
			throw invalid('invalid_recipient_type', 'recipient_type must be one of fiat, crypto.');
		if (currency !== null && !knownCurrencies.includes(currency))
			throw invalid('invalid_currency', 'currency is not a wallet currency or settlement rail.');
		const recipients = [...account.recipients.values()].filter(
			(recipient) =>
				(type ?? recipient.type) === recipient.type && (currency ?? recipient.currency) === recipient.currency,
		);
		return { data: recipients.map(recipientRecord) };
	},

	'recipient.update': ({ apply, account, params, body }) => ({
		data: apply({
			kind: 'recipient.update',
			accountId: account.id,
			recipientId: params.recipient_id as string,
			fields: body,
		}).data,
	}),

	'recipient.delete': ({ apply, account, params }) => ({
		data: apply({ kind: 'recipient.delete', accountId: account.id, recipientId: params.recipient_id as string }).data,
		deleted: true,
	}),
};
