import type { Clock } from '../ports';
import { READ_SPACING_MS, PAGE_TRIES_MAX, PAGES_PER_SLICE, SLICE_MS_MAX, SLICE_PAUSE_MS } from './limits';
import { isFull } from './log';
import { inOrder, needsOf, type Needs, type Source, type Walk } from './sources/source';
import type { TopicState } from './topic-state';
import type { TopicEvent } from './topics/event';

/** Reads one topic over REST, in slices: each enters the log before the next is read. */
export interface Reads {
	/** Continues the walk, or begins one. After a failure the next call resumes where it stopped. */
	slice(): Promise<SliceEnd>;
}

interface SliceEnd {
	/** When to continue; undefined if nothing is left to read. */
	againMs?: number;
	hasNews: boolean;
	/** The walk that is over. */
	ended?: EndedWalk;
}

/** A walk that read everything it had to. */
export interface EndedWalk {
	needs: Needs;
	beganAt: number;
	/** The topic was subscribed all the time. */
	isFollowed: boolean;
	/** Another outage came meanwhile. */
	isOutdated: boolean;
}

interface ReadsPorts {
	clock: Clock;
	state: TopicState;
	source: Source;
	signal: AbortSignal;
	/** Rows enter the log; returns how many were new to somebody. */
	append(rows: readonly TopicEvent[]): number;
}

interface Progress extends Omit<EndedWalk, 'isOutdated'> {
	walk: Walk;
	news: number;
	/** Tries of the next page that failed. */
	failures: number;
	outages: number;
}

export function createReads({ clock, state, source, signal, append }: ReadsPorts): Reads {
	let progress: Progress | undefined;

	function begin(): Progress | undefined {
		const needs = needsOf(state);
		if (needs.parties.length === 0 && needs.firsts.length === 0) return undefined;
		const { outages, isConfirmed } = state;
		const facts = { needs, beganAt: clock.now(), isFollowed: isConfirmed, outages };
		return { walk: source.begin(needs), news: 0, failures: 0, ...facts };
	}

	async function slice(): Promise<SliceEnd> {
		// The rows before a page that fails for good have changed meanwhile.
		if (progress && progress.failures >= PAGE_TRIES_MAX) progress = undefined;
		progress ??= begin();
		if (!progress) return { hasNews: false };
		const before = progress.news;
		const isRead = await readPages(progress);
		const hasNews = progress.news > before;
		if (!isRead) return { hasNews, againMs: isHeldUp() ? READ_SPACING_MS : SLICE_PAUSE_MS };
		const { walk, needs, beganAt, isFollowed, outages } = progress;
		progress = undefined;
		walk.end();
		return { hasNews, ended: { needs, beganAt, isFollowed, isOutdated: outages !== state.outages } };
	}

	/** Returns whether nothing is left to read. Pages read before a failure are kept. */
	async function readPages(walking: Progress): Promise<boolean> {
		const endsAt = clock.now() + SLICE_MS_MAX;
		const rows: TopicEvent[] = [];
		let isRead = false;
		const keep = (): void => void (walking.news += append(inOrder(rows.splice(0), source.order)));
		for (let pages = 0; pages < PAGES_PER_SLICE && clock.now() <= endsAt && !isHeldUp(); pages += 1) {
			let page: readonly TopicEvent[] | undefined;
			try {
				page = await walking.walk.next(walking.news);
			} catch (error) {
				walking.failures += 1;
				if (pages === 0) throw error;
				break;
			}
			if (signal.aborted) return false;
			walking.failures = 0;
			isRead = page === undefined;
			if (!page) break;
			for (const row of page) rows.push(row);
			if (source.order === 'sequence') keep();
		}
		keep();
		return isRead;
	}

	/** Everybody has enough to do. */
	const isHeldUp = (): boolean => {
		const { log } = state;
		return log.cursors.size > 0 && [...log.cursors].every((cursor) => isFull(log, cursor));
	};

	return { slice };
}
