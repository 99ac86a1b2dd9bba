import type { DataFrame } from '../connection/frames';
import { sameEpoch, type Step } from '../position';
import { sequenceOf } from '../topics/event';
import { addFrame } from './backlog';
import { follow } from './book-sequence';
import { doubted, giveUpWaiting } from './doubt';
import { LIVE, NOTHING, REPLAYED, type TopicEffect, type TopicRules } from './effects';
import { observeTime } from './message-times';
import { compareRuns } from './positions';
import { advance, isReplay } from './sequence';
import type { TopicState } from './state';

/** A message arrived. */
export function onMessage(rules: TopicRules, state: TopicState, frame: DataFrame, now: number): readonly TopicEffect[] {
	const { sequence, backlog } = state;
	// Changes before a confirmation belong to no book.
	if (rules.isBook && !state.isConfirmed) return NOTHING;
	state.received += 1;
	if (rules.isWildcard) {
		observeTime(state.times, frame.ts, now);
		return LIVE;
	}
	const before = sequence.position;
	const follows = followsBy(rules, state, frame, now);
	const isReplayed = isReplay(sequence, frame.position, now);
	// Replayed messages were sent long ago, so their times say nothing about the lag.
	if (!isReplayed) observeTime(state.times, frame.ts, now);
	const isFirst = !before && frame.position !== undefined;
	const delivered = isReplayed ? REPLAYED : LIVE;
	if (follows === 'next' && !isFirst && !backlog) return delivered;
	const signs = follows === 'next' ? [] : [...onSign(rules, state, follows, now)];
	if (isFirst && compareRuns(rules, state, frame.position)) signs.push(...doubted(rules, state, 'epoch', now));
	if (!state.backlog) return [...signs, ...delivered];
	return addFrame(state.backlog, frame, isReplayed) ? [...signs, ...giveUpWaiting(rules, state)] : signs;
}

/** How a message follows the one before it; a change of a book, how it follows the change before. */
function followsBy({ isBook }: TopicRules, { sequence, book }: TopicState, frame: DataFrame, now: number): Step {
	const before = sequence.position;
	const follows = advance(sequence, frame.position, now);
	if (!isBook) return follows;
	// Repeated changes look like restarted sequence numbers, but within the same epoch they are only a gap.
	const isSameRun = before && frame.position && sameEpoch(before.epoch, frame.position.epoch);
	return follow(book, sequenceOf(frame.data), follows === 'epoch' && isSameRun ? 'gap' : follows);
}

/** Something about a message says that others may be missing. */
function onSign(rules: TopicRules, state: TopicState, follows: Step, now: number): readonly TopicEffect[] {
	if (follows !== 'old') state.missingSince = now;
	if (follows === 'epoch') compareRuns(rules, state);
	const effects = doubted(rules, state, follows, now);
	// What waits belongs to the book before, and says nothing about the snapshot that this one needs.
	if (rules.isBook && follows === 'epoch' && state.backlog) Object.assign(state.backlog, { frames: [], length: 0 });
	return effects;
}
