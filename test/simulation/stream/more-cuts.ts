import type { Plants } from './plant';
import { cut } from './cut';

/** Mechanisms that only one kind of service or host asks for; their worlds are in `strangers.ts` and `worlds.ts`. */

const records = {
	takesAliasesForNew: cut(
		'ledger/key-index.ts',
		'if (hasPrint(index, print) || (index.all.hasAliases && hasPrint(index, aliasPrint(print)))) return true;',
		'if (hasPrint(index, print)) return true;',
		'two shapes',
	),
	takesWhatOthersKnowForKnown: cut(
		'ledger/key-index.ts',
		'return number >= 0 && (bits[number >> 5]! & (1 << (number & 31))) !== 0;',
		'return number >= 0 && bits.length >= 0;',
		'crowds',
	),
	comparesNoContents: cut(
		'ledger/judge.ts',
		'if (event.alike && !origin.isHistory && !isOneShape(offered.shapes)) {',
		'if (event.alike && origin.isHistory && !isOneShape(offered.shapes)) {',
		'two shapes',
	),
	believesOlderUpdates: cut(
		'ledger/orders.ts',
		'if (stored && isOlder(update, stored.facts) && !isFurther(update, stored.facts)) return undefined;',
		'',
		'overtaken corrections',
	),
	takesSharedNumbersForOne: cut('ledger/ledger.ts', 'if (!of.isShared) addRange(', 'addRange(', 'strange numbers'),
	believesNoAmendment: cut(
		'ledger/orders.ts',
		'if (isOlder(stored.facts, update) || isAmendment(update, stored)) return true;',
		'if (isOlder(stored.facts, update)) return true;',
		'silent amendments',
	),
	takesALagForARestart: cut(
		'backfill/restart-check.ts',
		'now - doubt.endsBelowSince < READ_LAG_MS_MAX ? undefined : true',
		'true',
		'restarts in a lag',
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
		'backfill/backfill.ts',
		'if (pages === 0) throw page.error;',
		'if (pages >= 0) throw page.error;',
		'unsorted lists',
	),
	hidesForgottenTrades: cut(
		'backfill/sequence-source.ts',
		'(isNewestOnly || isShortened(events, list.pageLength, settled()))',
		'(isNewestOnly || (first < 0 && isShortened(events, list.pageLength, settled())))',
		'trades forgotten',
	),
	hidesForgottenFills: cut(
		'backfill/list-source.ts',
		'rows.keys.size >= FULL_PAGE_MIN;',
		'rows.keys.size >= Infinity;',
		'fills forgotten',
	),
	neverGlances: cut('backfill/list-source.ts', 'pages: pages(),', 'pages: (async function* () {})(),', 'long lists'),
	sharesReadingsOfOutages: cut(
		'sync/window.ts',
		'(isFollowed && isConfirmed ? WINDOW_MS_MAX : READ_SPACING_MS)',
		'(isFollowed || isConfirmed || !isConfirmed ? WINDOW_MS_MAX : READ_SPACING_MS)',
		'crowds',
	),
	servesNobodyWhoReturns: cut(
		'channel/reads.ts',
		'!isServed(state.subscribers, subscriber, name) || !backfill?.serveNewcomer?.(subscriber)',
		'subscriber !== undefined',
		'crowds that return',
	),
	trustsNumbersOfABaseline: cut(
		'backfill/restart-check.ts',
		'if (cursor.offered.doubt === undefined) doubtRun(cursor.offered);',
		'',
		'restarts beside newcomers',
	),
	tellsNewcomersReplays: cut(
		'channel/runner.ts',
		'(isReplay && isNewcomer)',
		'(isReplay && isNewcomer && at < 0)',
		'crowds',
	),
} satisfies Plants;

const hosts = {
	resumesTheTooLarge: cut(
		'connection/socket.ts',
		'if (code === TOO_LARGE) state.skipsResume = true;',
		'',
		'books too large',
	),
	neverPauses: cut('delivery/subscriber.ts', 'if (isFull(queue)) ports.full();', '', 'sudden crowds'),
	confirmsNoRefusal: cut('limits.ts', 'REFUSALS_CONFIRM = 3', 'REFUSALS_CONFIRM = 1', 'a moment without a key'),
} satisfies Plants;

export const moreCuts = { ...records, ...lists, ...hosts } satisfies Plants;
