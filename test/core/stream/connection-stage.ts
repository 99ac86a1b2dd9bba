import {
	type ConnectionEffect,
	type ConnectionInput,
	isOpen,
	newConnection,
} from '../../../packages/core/src/stream/connection/state';
import { step, wakesAt } from '../../../packages/core/src/stream/connection/step';
import { virtualTime } from '../../simulation/support/time';

const SECOND_MS = 1_000;

/** The steps of one connection in virtual time. What they ask of its session is recorded with the second. */
export function openConnection({
	chance = 0.99,
	access = 'private',
}: { chance?: number; access?: 'private' | 'public' } = {}) {
	const time = virtualTime();
	const begins = time.now();
	const state = newConnection(access, begins);
	const effects: (ConnectionEffect & { second: number })[] = [];
	const onEffect: ((effect: ConnectionEffect) => void)[] = [];
	let cancel = (): void => undefined;
	let isOn = true;

	function happened(input: ConnectionInput): void {
		for (const effect of step(state, input, time.now())) {
			effects.push({ ...effect, second: (time.now() - begins) / SECOND_MS });
			for (const act of onEffect) act(effect);
		}
		cancel();
		const at = wakesAt(state);
		if (at !== undefined && isOn)
			cancel = time.after(at - time.now(), () => void (isOn && happened({ type: 'woken', chance })));
	}

	return {
		...{ time, state, effects, onEffect, happened, chance },
		isOpen: () => isOpen(state),
		/** When the session was asked for something. */
		seconds: (what: ConnectionEffect['do']) =>
			effects.filter((effect) => effect.do === what).map(({ second }) => second),
		pass: (seconds: number) => time.run(time.now() + seconds * SECOND_MS),
		/** No further time passes for it. */
		stop: () => void (isOn = false),
	};
}
