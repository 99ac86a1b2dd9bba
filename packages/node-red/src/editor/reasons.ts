/** Shows below a field why it is invalid. The editor shows the reason only in a tooltip, which typed inputs lack. */
import { $, type EditorNode } from './host';
import { verdictOf } from './validation';

type Prefix = 'node-input' | 'node-config-input';

export function showReasons(node: EditorNode, prefix: Prefix = 'node-input'): void {
	for (const name of Object.keys(node._def.defaults)) {
		const input = document.getElementById(`${prefix}-${name}`);
		if (input && node._def.defaults[name]!.validate) watch(node, name, input);
	}
}

function watch(node: EditorNode, name: string, input: HTMLElement): void {
	const reason = document.createElement('span');
	reason.className = 'partner-exchange-reason';
	reason.setAttribute('aria-live', 'polite');
	input.closest('.form-row')?.append(reason);
	const show = (): void => {
		const verdict = verdictOf(node, name, $(input).val());
		reason.textContent = typeof verdict === 'string' ? verdict : '';
		// The line stays once it was there: the form must not move while somebody is about to click into it.
		reason.style.minHeight = `${reason.offsetHeight}px`;
	};
	$(input).on('change keyup paste', show);
	show();
	const folded = input.closest('details');
	if (folded && reason.textContent !== '') folded.open = true;
}
