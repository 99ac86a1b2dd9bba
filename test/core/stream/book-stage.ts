import type { StreamEvent } from '@partner-exchange/core';
import { openStage, type StageOptions } from './stage';

export const BOOK = 'orderbook.USD_NGN';
export const book = (sequence: number) => ({ pair_id: 'USD/NGN', bids: [], asks: [], sequence });
export const sequences = (events: readonly StreamEvent[]) =>
	events.map(({ data }) => (data as { sequence: number }).sequence);

/** A stage whose service shows the book numbered 1, and a subscriber that received it. */
export async function openBook(options?: StageOptions) {
	const stage = openStage(options);
	stage.lists['market.orderBook'] = [book(1)];
	const seen = stage.consume({ topics: [BOOK] });
	await seen.subscription.ready;
	await stage.pass(2_000);
	return { ...stage, seen };
}
