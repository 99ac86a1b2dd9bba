import { control } from './control';
import { button, byId, setText } from './dom';
import { act } from './notice';
import type { SandboxState } from './state';
import { dayAndTime } from './time';

const steps = [
	{ label: '+1 min', ms: 60_000 },
	{ label: '+10 min', ms: 600_000 },
	{ label: '+1 h', ms: 3_600_000 },
];

/** Pair, clock, and the two actions that touch everything: time and reset. */
export function header(changed: () => void): (state: SandboxState) => void {
	for (const { label, ms } of steps) {
		const press = button(
			label,
			() => void act(press, () => control.advance(ms), `Clock advanced: ${label}`).then(changed),
		);
		byId('clock-steps').append(press);
	}
	resetDialog(changed);
	return ({ clock, markets, now, production, epoch }) => {
		const [market] = markets;
		setText(byId('pair'), market ? `${market.pair_id}${market.trading ? '' : ', halted'}` : '–');
		setText(byId('time'), dayAndTime(now));
		for (const id of ['clock-kind', 'clock-steps']) byId(id).hidden = clock !== 'virtual';
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
