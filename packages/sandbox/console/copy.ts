import { button } from './dom';
import { notice } from './notice';

/** A button that puts a text on the clipboard; `what` names it for screen readers. */
export function copyButton(what: string, text: () => string): HTMLButtonElement {
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
