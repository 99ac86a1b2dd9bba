/** Says below a quantity what it comes to at the prices of the moment, where the form itself says what is traded. */
import { $, RED } from './host';
import { fits } from './validation';
import { say } from './words';

/** A person may still be typing. */
const PAUSE_MS = 500;

let pause: ReturnType<typeof setTimeout> | undefined;
let asked = '';

/** Shows nothing where no price can be had: the form is about the order, and the price is beside it. */
export function showWorth(quote: string | undefined): void {
	const place = $('#partner-exchange-worth');
	if (place.length === 0) return;
	const [pair_id, side, quantity] = ['pair_id', 'side', 'quantity'].map(typedIn);
	const isWhole = pair_id && side && quantity && quote && fits('decimal', quantity);
	const account = $('#node-input-account').val() ?? '';
	const query = isWhole ? new URLSearchParams({ pair_id, side, quantity }).toString() : '';
	const question = `partner-exchange/accounts/${encodeURIComponent(account || '_')}/estimate?${query}`;
	if (question === asked) return;
	asked = question;
	place.text('');
	clearTimeout(pause);
	if (!isWhole) return;
	pause = setTimeout(() => {
		$.ajax({ url: question, method: 'GET', dataType: 'json' }).done((answer) => {
			const { total, left_over } = answer as { total: string; left_over: string };
			if (question !== asked || /[1-9]/.test(left_over)) return;
			const amount = BigInt(total.split('.')[0]!).toLocaleString(RED.i18n.lang());
			place.text(say('common.worth', { amount, currency: quote }));
		});
	}, PAUSE_MS);
}

/** A new form asks anew. */
export const forgetWorth = (): void => void (asked = '');

function typedIn(name: string): string {
	const input = $(`#node-input-${name}`);
	return input.length > 0 && input.typedInput('type') === 'str' ? input.typedInput('value').trim() : '';
}
