import type { Machine } from '@partner-exchange/core/testing';
import type { Call, Record } from './record';

type State = Parameters<Machine['step']>[0];
type Input = Parameters<Machine['step']>[1];
type Effect = ReturnType<Machine['step']>['effect'];

interface Watching {
	record: Record;
	/** Whether the process that made the call is alive. */
	lives(): boolean;
	/** Whether a journal, if there is one, holds the call. */
	isRemembered(): boolean;
}

/** Read errors that are temporary. */
const passing: readonly string[] = ['unavailable', 'timeout', 'malformed_response', 'rate_limited'];
/** The longest pause between two background lookups, and the time the second takes. */
const NEXT_LOOK_MS = 20_000;

/** Compares the machine's effects with its reports; only this place sees both. */
export function watched(machine: Machine, call: Call, { record, lives, isRemembered }: Watching): Machine {
	const seen: Seen = { works: false, isDoubtful: false, isUnread: false };
	return {
		policy: machine.policy,
		step: (state, input) => {
			note(seen, input);
			const step = machine.step(state, input);
			if (!lives()) return step;
			const wrongs = [...wrongSend(seen, step.effect, isRemembered), ...wrongEnd(machine, state, input, step.effect)];
			for (const wrong of wrongs) record.violate(`call ${call.number} ${wrong}`);
			return step;
		},
	};
}

interface Seen {
	/** A response or a lookup showed that it succeeded. */
	works: boolean;
	/** Some attempt may have succeeded. */
	isDoubtful: boolean;
	/** No lookup has been made since the last attempt. */
	isUnread: boolean;
}

function note(seen: Seen, input: Input): void {
	if (input.type === 'looked_up') {
		seen.works ||= input.lookup.is === 'found';
		seen.isUnread = false;
	}
	if (input.type !== 'attempted') return;
	const { proof } = input.attempt;
	seen.works ||= proof === 'done';
	seen.isDoubtful ||= proof === 'unknown' || proof === 'conflict';
	seen.isUnread = true;
}

function wrongSend({ works, isDoubtful, isUnread }: Seen, effect: Effect, isRemembered: () => boolean): string[] {
	if (effect.do !== 'send') return [];
	return [
		...(works ? ['sends although it knows that it worked'] : []),
		...(isDoubtful && isUnread ? ['sends again in doubt, and nobody has looked since the last attempt'] : []),
		...(isRemembered() ? [] : ['sends what no journal remembers']),
	];
}

/** A temporary error ends no call that has time for another lookup. */
function wrongEnd({ policy }: Machine, state: State, input: Input, effect: Effect): string[] {
	if (effect.do !== 'end' || input.type !== 'looked_up' || input.lookup.is !== 'failed') return [];
	const { error } = input.lookup;
	const hasTime = input.at + (error.retryAfterMs ?? 0) + NEXT_LOOK_MS < state.startedAt + policy.deadlineMs;
	const isFirst = state.phase === 'looking_first' && state.lookups >= policy.attemptsMax;
	if (!hasTime || isFirst || !passing.includes(error.code)) return [];
	// Too many requests is the write's own refusal (Interface, part 4, rule 5), not something this reading proves.
	if (effect.outcome.is === 'refused' && effect.outcome.error === state.error && error.code === 'rate_limited')
		return [];
	return [`ends ${effect.outcome.is} because one reading failed (${error.code})`];
}
