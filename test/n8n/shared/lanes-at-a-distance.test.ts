import { createClient, type SendHttp } from '@partner-exchange/core';
import { createPaces } from '@partner-exchange/core/testing';
import { CONCURRENT } from '../../../nodes/shared/action/execute';
import { mapConcurrently } from '../../../nodes/shared/action/concurrency';
import { random } from '../../simulation/support/random';
import { virtualTime } from '../../simulation/support/time';

const ITEMS = 500;
const LATENCY_MS = 200;
const account = {
	...{ environment: 'staging' as const, apiKey: 'key-of-a-test' },
	...{ baseUrl: 'https://staging.example/v1', wsUrl: 'wss://staging.example/v1/ws' },
};
const refusal = { status: 429, headers: { 'retry-after': '1' }, body: '' };
const order = JSON.stringify({ status: 'success', data: { id: 'order-1', status: 'filled' } });

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
	const send: SendHttp = async () => {
		waiting += 1;
		most = Math.max(most, waiting);
		await pass();
		const response = isTaken() ? { status: 200, headers: {}, body: order } : refusal;
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
