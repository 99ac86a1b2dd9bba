import { cut } from './cut';
import { moreCuts } from './more-cuts';
import type { Plants } from './plant';

const delivery = {
	takesRepeatsForNew: cut(
		'ledger/judge.ts',
		'if (isOffered(offered, event, print)) return undefined;',
		'if (wasStored(offered, event)) return undefined;',
		'signs',
	),
	forgetsWhatEarlierRunsDelivered: cut(
		'ledger/judge.ts',
		'keys: indexOf(keys, keysOfTopic),',
		'keys: indexOf({ chunks: [] }, keysOfTopic),',
	),
	believesNoCorrection: cut(
		'ledger/orders.ts',
		'if (isCorrected && !isCorrection(update, stored, origin)) return undefined;',
		'if (isCorrected) return undefined;',
		'fair',
	),
	believesEveryContradiction: cut('ledger/orders.ts', '>= CORRECTION_CONFIRMED_AFTER_MS', '>= 0'),
	reportsPositionsOfWaitingEvents: cut(
		'delivery/cursors.ts',
		'if (!appendPosition(queue, topic, position)) apply(topic, { position });',
		'apply(topic, { position });',
	),
	deliversOnce: cut(
		'delivery/hand-over.ts',
		'ports.rejected(tries);\n\t\t\t}',
		'ports.rejected(tries);\n\t\t\t\treturn true;\n\t\t\t}',
	),
	neverRejoins: cut(
		'stream-subscribers.ts',
		'for (const topic of subscriber.queue.lagging.keys()) channels.get(topic)?.rejoin(subscriber);',
		'',
		'overruns',
	),
	queuesWithoutLimit: cut(
		'delivery/queue.ts',
		'sizeOf(queue) >= QUEUE_HARD_MAX || queue.length >= QUEUE_HARD_LENGTH_MAX',
		'false',
		'overruns',
	),
} satisfies Plants;

const fills = {
	neverMissesFills: cut(
		'fills/missing-fills.ts',
		'for (const event of events) onOrder(state, event, clock.now());',
		'void [events, onOrder];',
		'late fills',
	),
	offersNoFillsOfAnOrder: cut(
		'fills/missing-fills.ts',
		"channel('user.fills')?.take(events)",
		'void events',
		'late fills',
	),
} satisfies Plants;

const backfill = {
	takesALateFirstReadingForOld: cut(
		'channel/reads.ts',
		"if (typeof cursor.baseline === 'object') return cursor.baseline.since;",
		'void cursor;',
		'late start',
	),
	forgetsWhatIsUnread: cut('channel/reads.ts', 'subscriber.follow(name);', '', 'late start'),
	followsNoOrders: cut(
		'backfill/list-source.ts',
		'if (follow) yield { events: await lookUp(follow, served, rows) };',
		'void [follow, lookUp];',
		'resting orders',
	),
	onlyGlances: cut(
		'backfill/list-source.ts',
		'if (news > 0) learned.restsUntil = 0;',
		'learned.restsUntil = Infinity;',
		'unsorted lists',
	),
	sharesNoFirstReading: cut(
		'backfill/shared-baseline.ts',
		'if (isFreshNow && servesFirst(state.window, since, needsOpen)) return state.window;',
		'',
		'crowds',
	),
	readsNoFurtherAfterAFailure: cut(
		'sync/schedule.ts',
		'if (hasFailed) request(',
		'if (hasFailed && now < 0) request(',
		'signs',
	),
	readsWithoutSpacing: cut(
		'sync/schedule.ts',
		'return Math.max(0, spaced, mayBegin ? 0 : latest[0]! + MINUTE_MS - now);',
		'return 0 * spaced * Number(mayBegin);',
	),
	refusesOneReadForGood: cut(
		'sync/backfill-end.ts',
		'const againMs = isRefused ? refusedFor(state, now) : undefined;',
		'const againMs = isRefused ? 1e9 : undefined;',
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
	neverSuspectsARestart: cut(
		'sync/positions.ts',
		'mayDiffer = mayRestart(subscriber.cursor(topic), position) || mayDiffer;',
		'mayDiffer ||= position === null && mayRestart(subscriber.cursor(topic), position);',
	),
	takesUnreadNumbersForRead: cut(
		'backfill/sequence-source.ts',
		'isOutOfReach ? upTo : sooner(last, settled() ?? walk.at)',
		'upTo',
		'rows apart',
	),
	takesJumpsForNormalAtOnce: cut(
		'sync/sequence.ts',
		'emptyBackfills >= EMPTY_BACKFILLS_MAX',
		'emptyBackfills >= 0',
		'jumps',
	),
} satisfies Plants;

const books = {
	takesOldSnapshots: cut(
		'sync/book-sequence.ts',
		'return sequence < (latest(delivered, needed) ?? sequence) || isFromBefore(book, sequence, now);',
		'return false;',
		'lost',
	),
	repeatsChangesOfABook: cut(
		'sync/book-sequence.ts',
		'if (book.delivered !== undefined && sequence <= book.delivered) return false;',
		'',
	),
	learnsNoStrides: cut(
		'sync/book-sequence.ts',
		'return stride === 1 || (stride === book.nearest && book.nearestCount >= NEIGHBOURS_MIN);',
		'return stride === 1;',
		'in order',
	),
	buffersNothing: cut(
		'sync/doubt.ts',
		'if (canRead && isOrdered) state.backlog ??= newBacklog(now);',
		'void [canRead, isOrdered, newBacklog];',
		'in order',
	),
	buffersForGood: cut('sync/backlog.ts', 'endsAt: now + HOLD_MS_MAX', 'endsAt: now + 1e9', 'resume'),
} satisfies Plants;

const connection = {
	resumesWhatEndsConnections: cut(
		'connection/subscriptions.ts',
		'lostReplays < FAILED_REPLAYS_MAX',
		'lostReplays >= 0',
		'replays end connections',
	),
	waitsForConfirmationsForGood: cut(
		'connection/subscriptions.ts',
		'dueAfter(state.listening, doubled(CONFIRMATION_MS, state.inVain), now)',
		'dueAfter(state.listening, 1e9 + doubled(CONFIRMATION_MS, state.inVain), now)',
	),
	resumesAfterARefusal: cut(
		'connection/subscriptions.ts',
		'if (!isAboutKey && mayBePosition) return subscribe(state, topics, false, now);',
		'if (!isAboutKey && mayBePosition) return subscribe(state, topics, true, now);',
	),
	givesTopicsUp: cut(
		'connection/subscriptions.ts',
		'retry(subscription, { at: now + againMs, mayResume, isRefused });',
		"change(subscription, { is: 'unsubscribed', due: undefined });",
		'refused topics',
	),
	pausesForGood: cut(
		'connection/listening-time.ts',
		'endsAt: now + limitMs',
		'endsAt: now + 1e9 + limitMs',
		'stuck neighbours',
	),
	ignoresSilence: cut('connection/socket.ts', '...lookAtSilence(state, 0, now), ', '', 'resume'),
	noticesSilenceLate: cut(
		'connection/socket.ts',
		'const silentMs = now - state.heardAt;',
		'const silentMs = (now - state.heardAt) / 1.2;',
	),
	reconnectsAtOnceWhenLimited: cut('connection/step.ts', 'state.reconnects.limited += 1;', ''),
	resumesFromTheHead: cut(
		'sync/positions.ts',
		'sequence.position,\n\t\tupToDate.map(({ cursor }) => cursor(topic).offered.position),',
		'sequence.position, [],',
		'resume',
	),
	takesEpochsForOne: cut(
		'sync/sequence.ts',
		"state.position = next;\n\t\treturn 'epoch';\n\t}\n\tif (next.seq",
		"state.position = next;\n\t\treturn 'next';\n\t}\n\tif (next.seq",
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
