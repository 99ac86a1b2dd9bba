import { element, type Child } from './dom';

/** A name, a line about it, and a button: faults and scenarios look the same. */
export const choiceRow = (name: string, about: readonly Child[], press: HTMLButtonElement): HTMLElement =>
	element('li', {}, element('div', {}, element('strong', {}, name), ...about.map(quiet)), press);

const quiet = (child: Child): Node => (typeof child === 'string' ? element('span', { class: 'quiet' }, child) : child);
