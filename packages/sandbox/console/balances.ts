import { byId, element, setText } from './dom';
import { grouped, isZero } from './decimal';
import { rows, textRow } from './rows';
import type { AccountRecord, Balance } from './state';
import { dayAndTime } from './time';

export function balancesPanel(): (account: AccountRecord) => void {
	const show = rows<Balance>(byId('balances'), {
		key: (balance) => balance.currency,
		create: () =>
			textRow(cells(), ({ currency, available, locked, total }) => [
				currency,
				...[available, locked, total].map(grouped),
			]),
		empty: () => element('tr', {}, element('td', { class: 'empty', attributes: { colspan: '4' } }, 'No wallet yet.')),
	});
	return (account) => {
		show(account.balances);
		showCredit(account.credit);
	};
}

const cells = (): HTMLElement[] => [
	element('th', { attributes: { scope: 'row' } }),
	element('td'),
	element('td', { class: 'quiet' }),
	element('td'),
];

/** Credit is said only when there is some: most accounts have none. */
function showCredit(credit: AccountRecord['credit']): void {
	const place = byId('credit');
	place.hidden = isZero(credit.credit_limit) && isZero(credit.outstanding);
	const due = credit.next_due_at ? `, due ${dayAndTime(credit.next_due_at)}` : '';
	const owed = `outstanding ${grouped(credit.outstanding)}${due}${credit.overdue ? ', overdue' : ''}`;
	const blocked = credit.withdrawal_blocked ? ' Withdrawals are blocked.' : '';
	setText(
		place,
		`Credit ${credit.currency}: available ${grouped(credit.available_credit)} of ${grouped(credit.credit_limit)}, ${owed}.${blocked}`,
	);
}
