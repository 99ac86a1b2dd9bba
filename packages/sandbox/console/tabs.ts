import { button, setText } from './dom';

export interface Tab {
	id: string;
	label: string;
	node: HTMLElement;
}

/** Tabs as screen readers and keyboards know them: one stop for Tab, arrows move. Returns the function that sets a tab's count. */
export function tabs(list: HTMLElement, panel: HTMLElement, all: readonly Tab[]): (id: string, count: number) => void {
	const buttons = all.map((tab) =>
		button(tab.label, () => choose(tab.id), {
			attributes: { role: 'tab', id: `tab-${tab.id}`, 'aria-controls': panel.id },
		}),
	);
	const choose = (id: string) => {
		all.forEach((tab, index) => {
			const chosen = tab.id === id;
			buttons[index]?.setAttribute('aria-selected', String(chosen));
			if (buttons[index]) buttons[index].tabIndex = chosen ? 0 : -1;
			if (chosen) panel.replaceChildren(tab.node);
		});
		panel.setAttribute('aria-labelledby', `tab-${id}`);
	};
	list.addEventListener('keydown', (event) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		const at = buttons.findIndex((each) => each === document.activeElement);
		if (!step || at < 0) return;
		const next = (at + step + all.length) % all.length;
		choose(all[next]?.id ?? '');
		buttons[next]?.focus();
	});
	list.append(...buttons);
	choose(all[0]?.id ?? '');
	return (id, count) => {
		const index = all.findIndex((tab) => tab.id === id);
		const button = buttons[index];
		if (button) setText(button, count ? `${all[index]?.label} ${count}` : (all[index]?.label ?? ''));
	};
}
