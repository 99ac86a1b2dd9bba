import type { Item } from '@partner-exchange/core';
import { READ_LAG_MS_MAX } from '../../../packages/core/src/stream/limits';
import { data, fill, openStage } from './stage';

const SECOND_MS = 1_000;

/** An account with many fills, whose list shows them newest first and late. */
function openAccount(lagMs: number) {
	const stage = openStage();
	const rows: { at: number; item: Item }[] = [];
	let seq = 0;
	stage.client.page = async (id, { offset = 0, limit }) => {
		stage.reads.push(id);
		await new Promise<void>((done) => void stage.time.after(20, done));
		const listed = rows.findLastIndex(({ at }) => at <= stage.time.now() - lagMs) + 1;
		const end = Math.max(0, listed - Number(offset));
		const page = rows.slice(Math.max(0, end - Number(limit)), end);
		return page.reverse().map(({ item }) => item);
	};
	/** Fills of some seconds; `reaches` says which of them the stream brings. */
	async function make(perSecond: number, seconds: number, reaches: (number: number) => boolean = () => true) {
		for (let tenths = 0; tenths < seconds * 10; tenths += 1) {
			for (let made = 0; made < perSecond / 10; made += 1) {
				const item = { ...fill(`f${rows.length}`), created_at: new Date(stage.time.now()).toISOString() };
				rows.push({ at: stage.time.now(), item });
				if (reaches(rows.length)) stage.sockets.at(-1)!.say(data('user.fills', (seq += 1), item));
			}
			await stage.pass(SECOND_MS / 10);
		}
	}
	const seen = stage.consume({ topics: ['user.fills'], batchMax: 1_000, onCheckpoint: () => undefined });
	const skip = (count: number) => void (seq += count);
	const isTold = () => new Set(seen.keys()).size === rows.length && seen.events.length === rows.length;
	return { ...stage, seen, make, skip, isTold };
}

describe.each([0, READ_LAG_MS_MAX])('a list %s ms behind a busy stream', (lagMs) => {
	it('a lagging list is read back behind all live events if messages were missed before', async () => {
		const account = openAccount(lagMs);
		await account.pass(SECOND_MS);
		await account.make(500, 30);
		account.sockets.at(-1)!.close();
		// Only what is sent has a number, so that none is missing afterwards.
		await account.make(500, 2, () => false);
		await account.make(500, 30);
		await account.pass(120 * SECOND_MS);
		expect(account.isTold()).toBe(true);
	});

	it('a lagging list is read back behind all live events if a number is missing', async () => {
		const account = openAccount(lagMs);
		await account.pass(SECOND_MS);
		await account.make(200, 60);
		await account.make(200, 1, (number) => number % 10 > 0);
		account.skip(20);
		await account.make(200, 60);
		await account.pass(120 * SECOND_MS);
		expect(account.isTold()).toBe(true);
	});
});
