import { ExchangeError } from '../../errors';
import type { TopicNews } from '../connection/link';
import { knowsItsStart, isFirstReadDue } from '../log/cursor';
import { skipAll, type Cursor } from '../log/log';
import { noticeTexts } from '../notice-text';
import { oldestPosition, sameEpoch, type Position } from '../position';
import { noBook } from './book-sequence';
import { noteFailure, tellGapSince, warn, type Feed } from './feed';
import { beginWith, doubt, hold } from './live';
import { request } from './schedule';
import { expectReplay, startFrom } from './sequence';

type News<Type extends TopicNews['type']> = Extract<TopicNews, { type: Type }>;

/** Handles what the connection reports about a subscription. */
export function subscriptionChanged(feed: Feed, news: Exclude<TopicNews, { type: 'data' }>, now: number): void {
	const { state } = feed;
	switch (news.type) {
		case 'requested':
			state.requested = { from: resumesFrom(feed), resumeFrom: news.resumeFrom };
			return expectReplay(state.sequence, news.resumeFrom, state.isConfirmed);
		case 'confirmed':
			return confirmed(feed, news, now);
		case 'lost':
			return lost(feed, news.heardAt);
		case 'refused':
			return failAll(feed, news.error);
		case 'unavailable':
			noteFailure(feed, news.error);
			return warn(feed, feed.subscribers.keys(), noticeTexts.unavailable(news.error.summary, news.againMs));
	}
}

/** The oldest position of those who may lack something. A book begins with a snapshot, so it is never resumed. */
export function resumesFrom({ isBook, topic, state: { log, sequence } }: Feed): Position | undefined {
	if (isBook || !topic) return undefined;
	const others = [...log.behind].map(({ catchingUp }) => catchingUp?.known.position);
	return oldestPosition(sequence.position, [log.known.position, ...others]);
}

/** The topic is subscribed: what was missed is read, and what is replayed meanwhile enters the log as well. */
function confirmed(feed: Feed, { head: claimed, snapshot }: News<'confirmed'>, now: number): void {
	const { state, topic, isBook, canRead } = feed;
	const { log, sequence, isConfirmed: isAgain, lostAt } = state;
	const resumedFrom = state.requested?.resumeFrom;
	const head = topic ? claimed : undefined;
	const before = sequence.position ?? resumedFrom;
	const isSameRun = before !== undefined && head !== undefined && sameEpoch(before.epoch, head.epoch);
	const isOtherRun = before !== undefined && head !== undefined && !isSameRun;
	const isReplayed = isSameRun && (resumedFrom !== undefined || head.seq <= before.seq);
	if (lostAt !== undefined) {
		if (!isReplayed) state.cut = { since: state.cut?.since ?? lostAt, endedAt: now };
	}
	if (state.cut && !isBook && (!canRead || state.isLiveOnly)) tellCut(feed);
	if (!isAgain || lostAt !== undefined) state.confirmedAt = now;
	state.isConfirmed = true;
	state.lostAt = state.requested = undefined;
	startFrom(sequence, { head, resumedFrom }, now);
	// A consumer can resume even if no event ever arrives.
	if (!state.backlog?.waiting.length) log.known.position ??= sequence.position;
	for (const cursor of log.cursors) begin(feed, cursor, head);
	if (isBook) return startBook(feed, snapshot, isAgain, now);
	if ([...log.cursors].some(({ first }) => isFirstReadDue(first))) request(state.schedule, now, true);
	if (isAgain && !isOtherRun) return;
	hold(feed, now);
	doubt(feed, 'subscribed', now);
}

function begin({ isBook, state }: Feed, cursor: Cursor, head: Position | undefined): void {
	if (cursor.isUnconfirmed && !knowsItsStart(cursor)) cursor.joined.position ??= head ?? state.sequence.position;
	cursor.isUnconfirmed = false;
	if (!isBook || !cursor.needsSnapshot) return;
	cursor.needsSnapshot = cursor.isTooSlow = false;
	skipAll(cursor);
}

/** What happened since the last thing heard cannot be read. */
export function tellCut(feed: Feed): void {
	const { state } = feed;
	const { cut } = state;
	state.cut = undefined;
	if (!cut) return;
	const owed = [...state.log.cursors].filter(({ joined, catchingUp }) => joined.at < cut.endedAt || catchingUp);
	tellGapSince(feed, new Set(owed), cut.since);
}

/** Begins an order book with its snapshot, from the confirmation or else from REST. Changes follow it. */
function startBook(feed: Feed, snapshot: unknown, isAgain: boolean, now: number): void {
	const { state, canRead } = feed;
	// After an outage the changes that wait belong to the book before; without one its snapshot still has to reach them.
	if (!isAgain) Object.assign(state, { backlog: undefined, book: noBook() });
	state.book.isSound = false;
	const isBegun = snapshot !== undefined && snapshot !== null && beginWith(feed, snapshot);
	if (!isBegun && canRead) doubt(feed, 'subscribed', now);
}

function lost({ state }: Feed, heardAt: number): void {
	if (state.isConfirmed) state.lostAt = heardAt;
	state.isConfirmed = false;
	state.requested = undefined;
	expectReplay(state.sequence, undefined, false);
}

function failAll(feed: Feed, refusal: ExchangeError): void {
	const error = feed.topic ? refusal : wildcardRefused(feed.name, refusal);
	noteFailure(feed, error);
	for (const subscriber of [...feed.subscribers.values()]) feed.ports.fail(subscriber, error);
}

/** The syntax of wildcards is not shown, so a refusal may mean that this service writes them in another way. */
const wildcardRefused = (topic: string, { code, serviceMessage, serviceCode, what }: ExchangeError): ExchangeError =>
	new ExchangeError(code, {
		operation: 'Stream',
		field: 'topics',
		serviceMessage,
		serviceCode,
		what: code === 'refused' ? `The service refuses the wildcard topic ${topic}` : what,
		advice: 'Choose the pairs one by one, or type the pattern that the service uses instead of *',
	});
