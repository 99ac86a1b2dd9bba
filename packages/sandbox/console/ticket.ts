import { control } from './control';
import { byId, setText } from './dom';
import { act } from './notice';
import type { SandboxState } from './state';

/** The exchange has only taken it: it may still reject an order, and fail a deposit. */
const SENT = 'Sent. How it ends is shown under Account';

/** What a person does in the place of a flow: places orders, and books deposits and withdrawals. */
export function ticketPanel(changed: () => void): (state: SandboxState) => void {
	let pair = '';
	const [type, price] = [byId<HTMLSelectElement>('ticket-type'), byId<HTMLInputElement>('ticket-price')];
	const adapt = () => {
		for (const id of ['ticket-price', 'ticket-force']) byId<HTMLInputElement>(id).disabled = type.value === 'market';
		price.required = type.value === 'limit';
	};
	type.addEventListener('change', adapt);
	adapt();
	onSubmit('ticket', 'ticket-place', changed, () => control.place({ ...ticket(), pair_id: pair }));
	onSubmit('money', 'money-send', changed, () =>
		control.book({
			email: value('account'),
			type: value('money-type'),
			currency: value('money-currency'),
			amount: value('money-amount'),
		}),
	);
	return ({ markets }) => {
		if (pair === markets[0]?.pair_id) return;
		pair = markets[0]?.pair_id ?? '';
		const [base = '', quote = ''] = pair.split('/');
		const units: Record<string, string> = { base: `Quantity, ${base}`, price: `Price, ${quote} for each ${base}` };
		document
			.querySelectorAll<HTMLElement>('#ticket [data-unit]')
			.forEach((unit) => setText(unit, units[unit.dataset.unit ?? ''] ?? ''));
	};
}

const value = (id: string): string => byId<HTMLInputElement | HTMLSelectElement>(id).value.trim();

function ticket(): object {
	const isLimit = value('ticket-type') === 'limit';
	const name = value('ticket-name');
	return {
		email: value('account'),
		side: value('ticket-side'),
		order_type: value('ticket-type'),
		quantity: value('ticket-quantity'),
		...(isLimit && { price: value('ticket-price'), time_in_force: value('ticket-force') }),
		...(name && { client_order_id: name }),
	};
}

function onSubmit(form: string, press: string, changed: () => void, action: () => Promise<unknown>): void {
	byId(form).addEventListener('submit', (event) => {
		event.preventDefault();
		void act(byId<HTMLButtonElement>(press), action, SENT).then(changed);
	});
}
