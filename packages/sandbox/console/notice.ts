import { byId, setText } from './dom';

/** How long a notice stays. */
const noticeMs = 4_000;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Says in a corner, and to screen readers, what an action did. */
export function notice(text: string, kind: 'done' | 'failed' = 'done'): void {
	const place = byId('notice');
	setText(place, text);
	place.dataset.kind = kind;
	place.classList.add('shown');
	clearTimeout(timer);
	timer = setTimeout(() => place.classList.remove('shown'), noticeMs);
}

/** Runs an action of the person: the button rests meanwhile but keeps the keyboard's focus, and the outcome is said. */
export async function act(button: HTMLButtonElement, action: () => Promise<unknown>, done: string): Promise<void> {
	if (button.ariaDisabled === 'true') return;
	button.ariaDisabled = 'true';
	try {
		await action();
		notice(done);
	} catch (error) {
		notice(error instanceof Error ? error.message : String(error), 'failed');
	} finally {
		button.ariaDisabled = 'false';
	}
}
