import { mapConcurrently, aheadOf } from '../../../nodes/shared/action/concurrency';
import { createClient, type SendHttp } from '@partner-exchange/core';
import { createPaces } from '@partner-exchange/core/testing';
import { CONCURRENT } from '../../../nodes/shared/action/execute';
import { random } from '../../simulation/support/random';
import { virtualTime } from '../../simulation/support/time';

/** Tasks that finish when the test finishes them. */
function pending() {
	const open: { index: number; end: () => void; fail: (error: Error) => void }[] = [];
	const work = (index: number) =>
		new Promise<number>((resolve, reject) => open.push({ index, end: () => resolve(index * 10), fail: reject }));
	const turn = () => new Promise(setImmediate);
	/** Finishes the oldest task. */
	const end = async () => {
		open.shift()?.end();
		await turn();
	};
	return { open, work, turn, end };
}

describe('items worked on at the same time', () => {
	it('adds a parallel item with each one that is done, up to the limit', async () => {
		const { open, work, end } = pending();
		const all = mapConcurrently(200, { first: 3, most: 8, mayGrow: () => true }, work);
		for (let done = 0; done < 100; done += 1) {
			expect(open).toHaveLength(Math.min(8, 3 + done));
			await end();
		}
		while (open.length > 0) await end();
		expect(await all).toEqual(Array.from({ length: 200 }, (_, index) => index * 10));
	});

	it('keeps the first number of parallel items while the service is hindered, and grows again after it', async () => {
		const { open, work, end } = pending();
		let isHindered = false;
		const all = mapConcurrently(1_000, { first: 3, most: 8, mayGrow: () => !isHindered }, work);
		while (open.length < 8) await end();
		isHindered = true;
		for (let more = 8; more > 3; more -= 1) {
			expect(open).toHaveLength(more);
			await end();
		}
		for (let done = 0; done < 30; done += 1) {
			expect(open).toHaveLength(3);
			await end();
		}
		isHindered = false;
		for (let done = 0; done < 20; done += 1) {
			expect(open).toHaveLength(Math.min(8, 3 + done));
			await end();
		}
		while (open.length > 0) await end();
		expect(await all).toHaveLength(1_000);
	});

	it('begins no item after the first failure, and awaits those in progress', async () => {
		const { open, work, turn, end } = pending();
		const all = mapConcurrently(100, { first: 4, most: 4, mayGrow: () => true }, work);
		let isOver = false;
		const failed = expect(all.finally(() => (isOver = true))).rejects.toThrow('of 1');
		open.splice(2, 1)[0]!.fail(new Error('of 2'));
		await turn();
		open.splice(1, 1)[0]!.fail(new Error('of 1'));
		await turn();
		expect([open.map(({ index }) => index), isOver]).toEqual([[0, 3], false]);
		await end();
		expect([open.length, isOver]).toEqual([1, false]);
		await end();
		await failed;
	});

	it('starts nothing where there are no items', async () => {
		const never = () => Promise.reject(new Error('nothing to do'));
		expect(await mapConcurrently(0, { first: 5, most: 5, mayGrow: () => true }, never)).toEqual([]);
	});
});

describe('values worked out ahead', () => {
	it('prepares values ahead up to a limit, each once, and never beyond the last', async () => {
		const read: number[] = [];
		const valueOf = aheadOf(3, 5, (index) => {
			read.push(index);
			return index * 10;
		});
		const values: number[] = [];
		for (let index = 0; index < 5; index += 1) {
			values.push(await valueOf(index));
			expect(read.length).toBe(index < 3 ? 3 : 5);
		}
		expect(values).toEqual([0, 10, 20, 30, 40]);
		expect(read).toEqual([0, 1, 2, 3, 4]);
	});

	it('fails only the caller whose prepared value failed', async () => {
		const valueOf = aheadOf(4, 4, (index) => {
			if (index % 2 === 1) throw new Error(`of ${index}`);
			return index;
		});
		expect(await valueOf(0)).toBe(0);
		await expect(valueOf(1)).rejects.toThrow('of 1');
		expect(await valueOf(2)).toBe(2);
		await new Promise(setImmediate);
		await expect(valueOf(3)).rejects.toThrow('of 3');
	});
});

const ITEMS = 500;

const LATENCY_MS = 200;

const account = {
	...{ environment: 'staging' as const, apiKey: 'key-of-a-test' },
	...{ baseUrl: 'https://staging.example/v1', wsUrl: 'wss://staging.example/v1/ws' },
};

const refusal = { status: 429, headers: { 'retry-after': '1' }, body: '' };

const orderAt = (url: string): string =>
	JSON.stringify({ status: 'success', data: { id: url.split('/').pop(), status: 'filled' } });

/** A service 200 ms away that takes so many requests a second, and so many at once after a pause. */
function farAway(time: ReturnType<typeof virtualTime>, perSecond: number, atOnce: number) {
	let [left, at, waiting, most] = [atOnce, time.elapsed(), 0, 0];
	const isTaken = (): boolean => {
		left = Math.min(atOnce, left + ((time.elapsed() - at) * perSecond) / 1_000);
		at = time.elapsed();
		if (left < 1) return false;
		left -= 1;
		return true;
	};
	const pass = (): Promise<void> => new Promise((resolve) => time.after(LATENCY_MS / 2, resolve));
	const send: SendHttp = async ({ url }) => {
		waiting += 1;
		most = Math.max(most, waiting);
		await pass();
		const response = isTaken() ? { status: 200, headers: {}, body: orderAt(url) } : refusal;
		await pass();
		waiting -= 1;
		return response;
	};
	return { send, most: () => most };
}

/** Reads orders as the action node does, and tells how it went. */
async function readAll(perSecond: number, atOnce: number) {
	const time = virtualTime();
	const { send, most } = farAway(time, perSecond, atOnce);
	const pace = createPaces(time)(account);
	const client = createClient(account, {
		clock: time,
		random: random(7).next,
		newId: () => 'id',
		send: pace.send(send, 'later'),
	});
	const began = time.elapsed();
	let ended = 0;
	const lanes = { ...CONCURRENT.reads, mayGrow: () => !pace.isHindered() };
	const failed: unknown[] = [];
	const all = mapConcurrently(ITEMS, lanes, async (item) => {
		await client.call('order.get', { order_id: `order-${item}` }).catch((error: unknown) => failed.push(error));
		ended = time.elapsed();
	});
	await time.run(time.now() + 1_000_000);
	await all;
	return { most: most(), failed: failed.length, roundTrips: (ended - began) / LATENCY_MS };
}

describe('five hundred reads of a service 200 ms away', () => {
	it('five hundred reads of a service 200 ms away wait seven times, where twenty at a time would wait twenty-five', async () => {
		expect(await readAll(100_000, 100_000)).toEqual({ most: 100, failed: 0, roundTrips: 7 });
	});

	it.each([
		['ten a second', 10, 10],
		['two a second after a hundred at once', 2, 100],
		['two a second after three hundred at once', 2, 300],
	])(
		'five hundred reads of a distant service all end with their answers behind a limit of %s',
		async (_, perSecond, atOnce) => {
			const { failed } = await readAll(perSecond, atOnce);
			expect(failed).toBe(0);
		},
	);
});
