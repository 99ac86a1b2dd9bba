/** Repeats of a message arrive close together. A later repeat is recognised by its event keys. */
const LATEST_MAX = 8;

/**
 * The texts of the latest messages with a position. Two equal messages without one may be two events with the same
 * content.
 */
export function createLatestMessages() {
	let texts: string[] = [];
	/** The highest sequence number among these messages: a message with a higher one cannot be a repeat. */
	let highest = -1;
	let next = 0;
	return {
		has: (text: string, seq: number): boolean => seq <= highest && texts.includes(text),
		add: (text: string, seq: number): void => {
			if (seq > highest) highest = seq;
			texts[next] = text;
			next = next + 1 < LATEST_MAX ? next + 1 : 0;
		},
		clear: (): void => {
			texts = [];
			highest = -1;
			next = 0;
		},
	};
}
