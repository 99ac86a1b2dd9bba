import { clockControls } from './clock';
import { control } from './control';
import { byId, setText } from './dom';
import { act } from './notice';
import type { SandboxState } from './state';
import { dayAndTime } from './time';

/** Pair, clock, and the two actions that touch everything: time and reset. */
export function header(changed: () => void): (state: SandboxState) => void {
	const showClock = clockControls(changed);
	resetDialog(changed);
	return (state) => {
		const { markets, now, production, epoch } = state;
		const [market] = markets;
		setText(byId('pair'), market ? `${market.pair_id}${market.trading ? '' : ', halted'}` : '–');
		setText(byId('time'), dayAndTime(now));
		showClock(state);
		setText(byId('about'), production ? `Behaves as production · ${epoch}` : `Test environment · ${epoch}`);
	};
}

function resetDialog(changed: () => void): void {
	const [open, dialog] = [byId<HTMLButtonElement>('reset'), byId<HTMLDialogElement>('reset-dialog')];
	open.addEventListener('click', () => {
		dialog.returnValue = 'keep';
		dialog.showModal();
	});
	dialog.addEventListener('close', () => {
		if (dialog.returnValue === 'reset')
			void act(open, control.reset, 'The exchange is back at its first state').then(changed);
	});
}
