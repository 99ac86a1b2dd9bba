import type { Plants } from './plant';
import { cut } from './cut';

/** Mechanisms that only one kind of service or host asks for; their worlds are in `strangers.ts` and `worlds.ts`. */

const records = {
	takesAliasesForNew: cut(
		'log/known.ts',
		'if (has(known, print) || ((known.hasAliases || isAnonymous) && has(known, aliasOf(print)))) return true;',
		'if (has(known, print)) return true;',
		'two shapes',
	),
	tellsRowsToEverybody: cut('log/log.ts', 'concerns(cursor, event, before, arrival)', 'true', 'crowds'),
	comparesNoContents: cut(
		'log/known.ts',
		'if (event.contentOf && !event.isAnonymous && !isOneShape(known)) {',
		'if (event.contentOf && event.isAnonymous && !isOneShape(known)) {',
		'two shapes',
	),
	believesOlderUpdates: cut(
		'log/orders.ts',
		'if (stored && isOlder(update, stored.facts) && !isFurther(update, stored.facts)) return undefined;',
		'',
		'overtaken corrections',
	),
	believesNoAmendment: cut(
		'log/orders.ts',
		'if (isOlder(stored.facts, update) || isAmendment(update, stored)) return true;',
		'if (isOlder(stored.facts, update)) return true;',
		'silent amendments',
	),
	readsTimesInOneUnit: cut(
		'../wire/payload.ts',
		'const unitMs = UNITS_MS.find((unit) => Math.abs(number) * unit < MILLISECONDS_MAX);',
		'const unitMs = 1;',
		'clocks apart',
	),
} satisfies Plants;

const lists = {
	believesContradictedLists: cut(
		'../wire/list-shape.ts',
		'shape.isContradicted = true;',
		'shape.isContradicted = false;',
		'unsorted lists',
	),
	forgetsPagesBeforeAFailure: cut(
		'feed/reading.ts',
		'if (pages === 0) throw error;',
		'if (pages >= 0) throw error;',
		'unsorted lists',
	),
	hidesForgottenTrades: cut(
		'sources/numbered.ts',
		'(isNewestOnly || isShortened(events, list.pageLength, complete))',
		'(isNewestOnly || (first < 0 && isShortened(events, list.pageLength, complete)))',
		'trades forgotten',
	),
	hidesForgottenFills: cut(
		'sources/list.ts',
		'const mayBeCut = isAll && !isFollowed && rows.newest.length > DATED_AHEAD_MAX;',
		'const mayBeCut = isAll && !isFollowed && rows.newest.length > Infinity;',
		'fills forgotten',
	),
	sharesReadingsOfOutages: cut(
		'feed/join.ts',
		'return state.isConfirmed && beganAt >= state.confirmedAt && ports.clock.now() - lastAt < REUSED_MS_MAX;',
		'return ports.clock.now() - lastAt < REUSED_MS_MAX;',
		'crowds',
	),
	servesNobodyWhoReturns: cut(
		'feed/join.ts',
		'if (isRetained && (known',
		'if (!isRetained && isRetained && (known',
		'crowds that return',
	),
	tellsNewcomersReplays: cut(
		'feed/live.ts',
		'isReplay ? isReplayFor : undefined',
		'isReplay && at < 0 ? isReplayFor : undefined',
		'crowds',
	),
} satisfies Plants;

const hosts = {
	resumesTheTooLarge: cut(
		'connection/requests.ts',
		'state.hasAsked ||= snapshot || positions.size > 0;',
		'state.hasAsked ||= positions.size > 0;',
		'books too large',
	),
	confirmsNoRefusal: cut('limits.ts', 'REFUSALS_CONFIRM = 3', 'REFUSALS_CONFIRM = 1', 'a moment without a key'),
} satisfies Plants;

export const moreCuts = { ...records, ...lists, ...hosts } satisfies Plants;
