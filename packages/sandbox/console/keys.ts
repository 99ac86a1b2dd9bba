import { button, byId, element, setText } from './dom';
import { rows } from './rows';
import type { KeyRecord, SandboxState } from './state';
import { notice } from './notice';

/** What the five kinds of access let a key do. (Interface, part 5.) */
const abilities: Readonly<Record<string, string>> = {
	exchangeRead: 'read the exchange',
	orderCreate: 'place orders',
	orderExecute: 'cancel and replace orders',
	walletRead: 'read wallets',
	recipients: 'manage recipients',
};

/** Where and for whom a key would be used. */
interface Place {
	production: boolean;
	ready: boolean;
}

export function keysPanel(): (state: SandboxState, email: string) => void {
	const [base, ws] = [
		address('Service address', 'the service address'),
		address('Stream address', 'the stream address'),
	];
	byId('addresses').append(...base.nodes, ...ws.nodes);
	let place: Place = { production: false, ready: true };
	const show = rows<KeyRecord>(byId('keys'), {
		key: (record) => record.key,
		create: (first) => {
			const may = element('p', { class: 'quiet' });
			const head = element(
				'p',
				{ class: 'line' },
				element('code', {}, first.key),
				copyButton(`key ${first.key}`, () => first.key),
			);
			return { node: element('li', {}, head, may), update: (record) => setText(may, describe(record, place)) };
		},
		empty: () => element('li', { class: 'empty' }, 'This account has no key.'),
	});
	return (state, email) => {
		const account = state.accounts.find((each) => each.email === email);
		place = { production: state.production, ready: account?.kyb === 'approved' };
		base.show(state.baseUrl);
		ws.show(state.wsUrl);
		setText(byId('keys-account'), email);
		show(state.keys.filter((key) => key.email === email));
	};
}

function describe(record: KeyRecord, { production, ready }: Place): string {
	if (!record.active) return 'Switched off: refused as invalid';
	// Interface, part 5: a key sent to the wrong environment fails as invalid.
	if (production !== (record.environment === 'production')) return 'Of the other environment: refused here as invalid';
	if (!ready) return 'Its account is not ready yet: refused as not permitted';
	const may = Object.keys(abilities).filter((access) => record.access.includes(access));
	if (may.length === Object.keys(abilities).length) return 'May do everything';
	return may.length ? `May ${may.map((access) => abilities[access]).join(', ')}` : 'May do nothing';
}

function address(label: string, what: string) {
	const text = element('code');
	return {
		nodes: [
			element('dt', {}, label),
			element(
				'dd',
				{ class: 'line' },
				text,
				copyButton(what, () => text.textContent ?? ''),
			),
		],
		show: (value: string) => setText(text, value),
	};
}

/** A button that puts a text on the clipboard; `what` names it for screen readers. */
function copyButton(what: string, text: () => string): HTMLButtonElement {
	return button('Copy', () => void copy(what, text()), {
		class: 'small',
		attributes: { 'aria-label': `Copy ${what}` },
	});
}

async function copy(what: string, text: string): Promise<void> {
	try {
		await navigator.clipboard.writeText(text);
		notice(`Copied ${what}`);
	} catch {
		notice(`The browser did not allow copying. Select the text of ${what} instead.`, 'failed');
	}
}
