import { control } from './control';
import { byId, element, setOptions, setText } from './dom';
import { act, notice } from './notice';
import type { SandboxState } from './state';

/** Words and choices of the settings; a setting without choices is a number of milliseconds. */
const labels: Readonly<Record<string, { label: string; choices?: readonly string[] }>> = {
	marketMaker: { label: 'Seeded market', choices: ['live', 'quiet', 'off'] },
	orderDelayMs: { label: 'Orders take, ms' },
	settlementDelayMs: { label: 'Deposits take, ms' },
	transactionOutcome: { label: 'Deposits end as', choices: ['completed', 'failed', 'cancelled'] },
	listLagMs: { label: 'Order list lags, ms' },
	selfTrade: { label: 'Own orders meet', choices: ['cancel_taker', 'cancel_maker'] },
	replaceQuantity: { label: 'Replaced quantity is', choices: ['total', 'remaining'] },
	keyRetentionMs: { label: 'Keys kept, ms' },
};

/** Halts the market and changes settings; each takes effect as soon as it is changed. */
export function settingsPanel(changed: () => void): (state: SandboxState) => void {
	const fields = Object.entries(labels).map(([name, { label, choices }]) => {
		const input = choices ? element('select') : element('input', { attributes: { inputmode: 'numeric' } });
		if (input instanceof HTMLSelectElement)
			setOptions(
				input,
				(choices ?? []).map((each) => ({ value: each, label: each.replaceAll('_', ' ') })),
			);
		input.addEventListener('change', () => {
			const value = choices ? input.value : Number(input.value);
			control
				.settings({ [name]: value })
				.then(
					() => notice(`${label}: ${input.value}`),
					(error: unknown) => notice(error instanceof Error ? error.message : String(error), 'failed'),
				)
				.finally(changed);
		});
		byId('settings').append(element('label', { class: 'field' }, label, ' ', input));
		return { name, input };
	});
	byId('settings').addEventListener('submit', (event) => event.preventDefault());
	let pair = '';
	let trading = true;
	const halt = byId<HTMLButtonElement>('market-halt');
	halt.addEventListener(
		'click',
		() =>
			void act(halt, () => control.trading(pair, !trading), trading ? 'Trading halted' : 'Trading resumed').then(
				changed,
			),
	);
	return ({ settings, markets: [market] }) => {
		[pair, trading] = [market?.pair_id ?? '', market?.trading ?? true];
		setText(halt, trading ? 'Halt trading' : 'Resume trading');
		for (const { name, input } of fields) {
			// What is being typed is not overwritten.
			if (document.activeElement !== input) input.value = String(settings[name] ?? '');
		}
	};
}
