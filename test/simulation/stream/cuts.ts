import { cut } from './cut';
import { moreCuts } from './more-cuts';
import type { Plants } from './plant';

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
		'const position = first ? first.upTo : known.position;',
		'const position = first ? known.position : known.position;',
		'slow hosts',
	),
	readsDamagedCheckpoints: cut(
		'../sealed.ts',
		"if (sealed.checksum !== checksumOf(sealed.value, sealed.version)) return { is: 'damaged' };",
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
		'log.isBook ? BOOK_BACKLOG_MAX : TOO_FAR, TOO_FAR_LENGTH',
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
	offersNoFillsOfAnOrder: cut('missing-fills.ts', "feed('user.fills')?.take(events)", 'void events', 'late fills'),
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
		"first?.read === 'awaited' && acknowledged === joinedOffset;",
		'isUnread(first);',
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
	endsCatchingUpTooSoon: cut(
		'feed/reading.ts',
		'beganAt - catchingUp.since < READ_LAG_MS_MAX;',
		'beganAt - catchingUp.since < -Infinity;',
		'signs',
	),
	readsNoFurtherAfterAFailure: cut(
		'feed/schedule.ts',
		'if (hasFailed) request(',
		'if (hasFailed && now < 0) request(',
		'signs',
	),
	readsWithoutSpacing: cut(
		'feed/schedule.ts',
		'return Math.max(0, spaced, mayBegin ? 0 : latest[0]! + MINUTE_MS - now);',
		'return 0 * spaced * Number(mayBegin);',
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

export const cuts = {
	...delivery,
	...fills,
	...backfill,
	...numbers,
	...books,
	...connection,
	...moreCuts,
} satisfies Plants;
