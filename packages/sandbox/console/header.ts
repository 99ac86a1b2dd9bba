import { control } from './control';
import { button, byId, setText } from './dom';
import { act, notice } from './notice';
import type { SandboxState } from './state';
import { dayAndTime, timeHere } from './time';

/** Pair, clock, and the two actions that touch everything: time and reset. */
export function header(changed: () => void): (state: SandboxState) => void {
	const showClock = clockControls(changed);
	resetDialog(changed);
	return (state) => {
		const { markets, now, production, epoch } = state;
		const [market] = markets;
		setText(byId('pair'), market ? `${market.pair_id}${market.trading ? '' : ', halted'}` : '–');
		setText(byId('time'), `${dayAndTime(now)} UTC`);
		setText(byId('time-here'), timeHere(now));
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

const steps = [
	{ label: '+1 min', ms: 60_000 },
	{ label: '+10 min', ms: 600_000 },
	{ label: '+1 h', ms: 3_600_000 },
	{ label: '+1 day', ms: 86_400_000 },
];
/** While the clock moves, the state is asked for this often. */
const lookMs = 250;

/** Moves a virtual clock, and shows how far it has come. */
function clockControls(changed: () => void): (state: SandboxState) => void {
	const buttons = steps.map(({ label, ms }) => {
		const press = button(label, () => {
			void act(press, () => control.advance(ms), `The clock moves: ${label}`).then(changed);
		});
		return press;
	});
	byId('clock-steps').append(...buttons);
	let moving = false;
	return ({ clock, now, clock_advance: advance }) => {
		for (const id of ['clock-kind', 'clock-steps']) byId(id).hidden = clock !== 'virtual';
		byId('clock-progress').hidden = advance === null;
		if (advance !== null) {
			show(advance, now);
			setTimeout(changed, lookMs);
		} else if (moving) notice(`The clock has reached ${dayAndTime(now)}`);
		if (moving || advance !== null) for (const each of buttons) each.ariaDisabled = String(advance !== null);
		moving = advance !== null;
	};
}

function show({ from, to }: { from: string; to: string }, now: string): void {
	const [start, end, at] = [Date.parse(from), Date.parse(to), Date.parse(now)];
	byId<HTMLProgressElement>('clock-done').value = (at - start) / Math.max(end - start, 1);
	setText(byId('clock-target'), `On the way to ${dayAndTime(to)}`);
}
