import type { HttpResponse, SendHttp } from '@partner-exchange/core';
import { createRateLimiters } from '@partner-exchange/core/testing';
import { ACCOUNTS_MAX } from '../../packages/core/src/per-account';
import { virtualTime } from '../simulation/support/time';

const account = { baseUrl: 'http://127.0.0.1:4010/v1', apiKey: 'key' };
const request = (url: string, method = 'GET') => ({ method, url, headers: {}, timeoutMs: 60_000 });

/** A service that allows this many requests per second. */
function limited(perSecond: number) {
	const time = virtualTime();
	const answered: { url: string; at: number }[] = [];
	let refusals = 0;
	const send: SendHttp = async ({ url }): Promise<HttpResponse> => {
		const now = time.now();
		if (answered.filter(({ at }) => at > now - 1_000).length >= perSecond) {
			refusals += 1;
			return { status: 429, headers: { 'retry-after': '1' }, body: '' };
		}
		answered.push({ url, at: now });
		return { status: 200, headers: {}, body: '' };
	};
	return { time, send, answered, refusals: () => refusals, paceOf: createRateLimiters(time) };
}

/** Sends until a response arrives, as the client does. */
async function insist(send: SendHttp, url: string): Promise<void> {
	while ((await send(request(url))).status === 429);
}

describe('the pace of an account', () => {
	it('keeps the pace of an account in use, however many others come after it', () => {
		const { paceOf } = limited(10);
		const pace = paceOf(account);
		for (let other = 0; other < 2 * ACCOUNTS_MAX; other += 1) {
			paceOf({ ...account, apiKey: `other-${other}` });
			if (other % 2 === 0) expect(paceOf(account)).toBe(pace);
		}
	});

	it('delays no request while the service answers no 429', async () => {
		const { time, send, answered, paceOf } = limited(10_000);
		const paced = paceOf(account).send(send, 'later');
		await Promise.all(Array.from({ length: 1_000 }, (_, index) => paced(request(`/${index}`))));
		expect(answered).toHaveLength(1_000);
		expect(answered.at(-1)!.at).toBe(time.now());
	});

	it('sends reads of the stream and writes before a queue of a thousand reads', async () => {
		const { time, send, answered, paceOf } = limited(10);
		const reads = paceOf(account).send(send, 'later');
		const stream = paceOf(account).send(send, 'first');
		void Promise.all(Array.from({ length: 1_000 }, (_, index) => insist(reads, `/read/${index}`)));
		await time.run(time.now() + 5_000);
		const began = time.now();
		void insist(stream, '/fills');
		void reads(request('/orders', 'POST'));
		await time.run(began + 60_000);
		// In order of arrival they would wait behind the thousand, for more than a minute.
		const waited = (url: string): number => answered.find((each) => each.url === url)!.at - began;
		expect(waited('/fills')).toBeLessThan(5_000);
		expect(waited('/orders')).toBeLessThan(5_000);
	});

	it('lowers the rate below the refused one, and serves every request', async () => {
		const { time, send, answered, refusals, paceOf } = limited(10);
		const paced = paceOf(account).send(send, 'later');
		const all = Promise.all(Array.from({ length: 300 }, (_, index) => insist(paced, `/${index}`)));
		await time.run(time.now() + 120_000);
		await all;
		expect(answered).toHaveLength(300);
		// Requests in flight at the first refusal were refused together with it.
		expect(refusals() - 290).toBeLessThan(60);
	});

	it('says that requests wait from a 429 until the rate is free again', async () => {
		const { time, send, paceOf } = limited(10);
		const pace = paceOf(account);
		expect(pace.isHindered()).toBe(false);
		const paced = pace.send(send, 'later');
		await Promise.all(Array.from({ length: 11 }, (_, index) => paced(request(`/${index}`))));
		expect(pace.isHindered()).toBe(true);
		for (let times = 0; times < 40 && pace.isHindered(); times += 1) {
			await time.run(time.now() + 6_000);
			void paced(request('/now and then'));
		}
		expect(pace.isHindered()).toBe(false);
	});

	it('delays no request of another account', async () => {
		const { time, send, paceOf } = limited(0);
		await paceOf(account).send(send, 'later')(request('/'));
		const other = paceOf({ ...account, apiKey: 'other' }).send(
			async () => ({ status: 200, headers: {}, body: '' }),
			'later',
		);
		const began = time.now();
		await other(request('/'));
		expect(time.now()).toBe(began);
	});

	it('answers 429 without sending when no turn comes in time', async () => {
		const { time, send, answered, paceOf } = limited(0);
		const paced = paceOf(account).send(send, 'later');
		await paced(request('/'));
		const waiting = paced({ ...request('/late'), timeoutMs: 500 });
		await time.run(time.now() + 600);
		expect((await waiting).status).toBe(429);
		expect(answered).toEqual([]);
	});
});
