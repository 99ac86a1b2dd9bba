import type { Patch } from '../support/patched';
import type { LayerName } from './layers';
import type { Plants } from './plant';

/** Switches off one mechanism of the stream in its source. */
export const cut = (
	file: string,
	find: string,
	replace: string,
	layer?: LayerName,
): { patch: Patch; layer?: LayerName } => ({
	patch: { file: `stream/${file}`, find, replace },
	layer,
});

const delivery = {
	takesRepeatsForNew: cut(
		'log/known.ts',
		'\tif (knows(known, event, print)) return undefined;',
		'\tif (knows({ ...known, keys: { ...known.keys, slots: new Int32Array(2) } }, event, print)) return undefined;',
		'signs',
	),
	forgetsWhatEarlierRunsDelivered: cut(
		'log/checkpoint.ts',
		'\t\tstored,\n\t\thasAliases: true,',
		'\t\tstored: noKeys(),\n\t\thasAliases: true,',
	),
	believesNoCorrection: cut(
		'log/orders.ts',
		'if (isCorrected && !admitCorrection(update, stored, origin)) return undefined;',
		'if (isCorrected) return undefined;',
		'fair',
	),
	believesEveryContradiction: cut('log/orders.ts', '>= LISTED_AFTER_MS', '>= 0', 'silent amendments'),
	reportsPositionsOfWaitingEvents: cut(
		'log/checkpoint.ts',
		'const position = next ? next.upTo : known.position;',
		'const position = known.position;',
		'slow hosts',
	),
	readsDamagedCheckpoints: cut(
		'../sealed.ts',
		' || sealed.checksum !== checksumOf(sealed.value, sealed.version)',
		'',
		'torn checkpoints',
	),
	storesKeysOfWaitingEvents: cut('log/checkpoint.ts', ' || offsets.has(offset)', '', 'slow hosts'),
	storesOrdersAsTheyWait: cut('log/checkpoint.ts', 'statesBefore(waiting))', 'statesBefore([]))', 'slow hosts'),
	deliversOnce: cut(
		'subscriber.ts',
		"if (tries === 1) notice({ kind: 'degraded', state: 'live', text: noticeTexts.notAcknowledged, cause });",
		'return true;',
	),
	neverRejoins: cut(
		'subscriber.ts',
		'if (cursor.isTooSlow && !isFull(cursor.log, cursor)) ports.hasRoom(cursor);',
		'',
		'overruns',
	),
	queuesWithoutLimit: cut(
		'log/log.ts',
		'log.isBook ? BOOK_BACKLOG_MAX : LAG_MAX, LAG_LENGTH_MAX',
		'Infinity, Infinity',
		'overruns',
	),
} satisfies Plants;

const fills = {
	neverMissesFills: cut(
		'missing-fills.ts',
		'for (const event of events) onOrder(state, event, clock.now());',
		'void [events, onOrder];',
		'late fills',
	),
	offersNoFillsOfAnOrder: cut('missing-fills.ts', 'appendRows(followed, events)', 'void appendRows', 'late fills'),
} satisfies Plants;

const backfill = {
	takesALateFirstReadingForOld: cut(
		'log/cursor.ts',
		"if (first.read === 'awaited') return false;",
		"if (first.read !== 'done') return false;",
		'late start',
	),
	forgetsWhatIsUnread: cut(
		'log/checkpoint.ts',
		"first?.read === 'awaited' && acknowledged === joined.offset;",
		'isFirstReadDue(first);',
		'late start',
	),
	followsNoOrders: cut(
		'sources/list.ts',
		'if (!isFollowed) return undefined;',
		'if (isFollowed) return undefined;',
		'resting orders',
	),
	sharesNoFirstReading: cut(
		'feed/join.ts',
		'return state.isConfirmed && beganAt >= state.confirmedAt &&',
		'return !state.isConfirmed && beganAt >= state.confirmedAt &&',
		'crowds that return',
	),
	endsCatchingUpTooSoon: cut('feed/reading.ts', 'beganAt - from < lagMs;', 'beganAt - from < -Infinity;', 'signs'),
	readsNoFurtherAfterAFailure: cut(
		'feed/schedule.ts',
		'if (hasFailed) request(',
		'if (hasFailed && now < 0) request(',
		'signs',
	),
	refusesOneReadForGood: cut(
		'feed/reading.ts',
		'const againMs = isRefused ? countRefusal(feed, firsts.length > 0, now) : undefined;',
		'const againMs = isRefused ? countRefusal(feed, firsts.length > 0, now) + 1e9 : undefined;',
		'signs',
	),
	readsTheSameAfterARefusal: cut(
		'../wire/page-length.ts',
		'for (const limit of [first, ...PAGE_LENGTHS.filter((shorter) => shorter < first)]) {',
		'for (const limit of [first]) {',
		'signs',
	),
} satisfies Plants;

const numbers = {
	takesUnreadNumbersForRead: cut(
		'sources/numbered.ts',
		'isOutOfReach ? upTo : sooner(upTo, complete ?? at!)',
		'upTo',
		'rows apart',
	),
	takesJumpsForNormalAtOnce: cut('feed/sequence.ts', 'emptyReads >= EMPTY_READS_MAX', 'emptyReads >= 0', 'jumps'),
} satisfies Plants;

const books = {
	takesOldSnapshots: cut(
		'feed/book-sequence.ts',
		'sequence !== undefined && needed !== undefined && (',
		'false && sequence !== undefined && needed !== undefined && (',
		'lost',
	),
	repeatsChangesOfABook: cut(
		'feed/book-sequence.ts',
		'if (book.needed !== undefined && sequence <= book.needed) return false;',
		'',
	),
	buffersNothing: cut(
		'feed/live.ts',
		'if (canRead && (isBook || isNumbered)) state.backlog ??= newBacklog(now);',
		'void [canRead, isBook, isNumbered, newBacklog];',
		'in order',
	),
	buffersForGood: cut('feed/topic-state.ts', 'endsAt: now + HOLD_MS_MAX', 'endsAt: now + 1e9', 'resume'),
} satisfies Plants;

const connection = {
	resumesWhatEndsConnections: cut(
		'connection/connection.ts',
		'state.hasAsked && !state.hasServed',
		'false',
		'replays end connections',
	),
	waitsForConfirmationsForGood: cut(
		'connection/requests.ts',
		'link.clock.now() + doubled(CONFIRMATION_MS,',
		'link.clock.now() + 1e9 + doubled(CONFIRMATION_MS,',
	),
	resumesAfterARefusal: cut(
		'connection/requests.ts',
		'if (next !== undefined) requestTopics(link, [next], false);',
		'if (next !== undefined) requestTopics(link, [next], true);',
	),
	givesTopicsUp: cut(
		'connection/requests.ts',
		"{ is: 'queued', due: clock.now() + againMs }",
		"{ is: 'unsubscribed', due: undefined }",
		'refused topics',
	),
	ignoresSilence: cut('connection/connection.ts', '\tlookAtSilence(link);\n', '', 'signs'),
	noticesSilenceLate: cut(
		'connection/connection.ts',
		'state.heardAt + SILENCE_MS_MAX,',
		'link.clock.now() + SILENCE_MS_MAX,',
	),
	reconnectsAtOnceWhenLimited: cut('connection/connection.ts', 'state.limited += 1;', ''),
	resumesFromTheHead: cut(
		'feed/subscription-news.ts',
		'[log.known.position, ...others]',
		'others.slice(others.length)',
		'resume',
	),
	takesEpochsForOne: cut(
		'feed/sequence.ts',
		"if (!sameEpoch(before.epoch, next.epoch)) return 'epoch';",
		"if (!sameEpoch(before.epoch, next.epoch)) return 'next';",
	),
	trustsTheClock: cut(
		'../steady-clock.ts',
		'now: () => beganAt + clock.elapsed()',
		'now: () => clock.now() + 0 * beganAt',
	),
} satisfies Plants;

/** Mechanisms that only one kind of service or host asks for; their worlds are in `strangers.ts` and `worlds.ts`. */

const records = {
	takesAliasesForNew: cut(
		'log/known.ts',
		'if (has(known, print) || ((known.hasAliases || event.isAnonymous) && has(known, aliasOf(print)))) return true;',
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
		' || isAmendment(update, stored)) return true;',
		') return true;',
		'silent amendments',
	),
	readsTimesInOneUnit: cut(
		'../wire/payload.ts',
		".padEnd(MILLISECONDS_DIGITS, '0').slice(0, MILLISECONDS_DIGITS)",
		'',
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
		'(isNewestOnly || isShortened(listed, list.pageLength))',
		'(isNewestOnly || (first < 0 && isShortened(listed, list.pageLength)))',
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
		'isReplayed ? isReplayFor : undefined',
		'isReplayed && at < 0 ? isReplayFor : undefined',
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

export const cuts = {
	...delivery,
	...fills,
	...backfill,
	...numbers,
	...books,
	...connection,
	...records,
	...lists,
	...hosts,
} satisfies Plants;
