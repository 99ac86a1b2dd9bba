import { ExchangeError } from '@partner-exchange/core';
import { withoutKey } from '../../packages/core/src/client/without-key';

const KEY = 'canary-key-7f3a';
const { call, items, context } = withoutKey(KEY);
const errorOf = async (work: Promise<unknown>): Promise<unknown> =>
	await work.then(
		() => undefined,
		(error: unknown) => error,
	);

describe('what leaves a client for people to read', () => {
	it('passes an error without a secret as it is, and what is no error of ours', async () => {
		for (const error of [new ExchangeError('refused', { what: 'Too small' }), new TypeError(KEY)])
			expect(await errorOf(call(Promise.reject(error)))).toBe(error);
		expect(await call(Promise.resolve(7))).toBe(7);
	});

	it('passes an error with everything but the key', async () => {
		const facts = { operation: 'Create Order', field: 'price', status: 429, retryAfterMs: 3_000 };
		const words = (key: string) => ({
			...{ what: `It holds ${key}`, advice: `Do not send ${key}` },
			...{ serviceMessage: `unknown ${key}`, serviceCode: `E-${key}` },
		});
		const secret = new ExchangeError('rate_limited', {
			...{ ...facts, ...words(KEY) },
			details: { hint: `of ${KEY}`, attempts: 3 },
		});
		const error = (await errorOf(call(Promise.reject(secret)))) as ExchangeError;
		expect(JSON.stringify(error)).not.toContain(KEY);
		expect(error).toMatchObject({ code: 'rate_limited', ...facts, details: { attempts: 3 } });
		for (const text of [error.what, error.advice, error.serviceMessage, error.serviceCode, error.details.hint])
			expect(text).toMatch(/\w/);
		expect(error.what).toMatch(/^It holds \S/);
		expect(error.details.hint).toMatch(/^of \S/);
	});

	it('adds no detail of the service where the service said nothing', async () => {
		const error = (await errorOf(call(Promise.reject(new ExchangeError('refused', { what: KEY }))))) as ExchangeError;
		expect([error.serviceMessage, error.serviceCode]).toEqual([undefined, undefined]);
		expect(error.what).not.toContain(KEY);
	});

	it('passes every item, and the error that ends them without the key', async () => {
		const failing = async function* () {
			yield await Promise.resolve(1);
			throw new ExchangeError('refused', { what: KEY });
		};
		const seen: number[] = [];
		const error = await errorOf(
			(async () => {
				for await (const item of items(failing())) seen.push(item);
			})(),
		);
		expect(seen).toEqual([1]);
		expect((error as ExchangeError).what).not.toContain(KEY);
	});

	it('passes a warning without the key to its listener', () => {
		const warned: string[] = [];
		context({ warn: ({ text }) => warned.push(text) }).warn?.({ kind: 'news', text: `field ${KEY} is new` });
		expect(warned.join()).toMatch(/^field .* is new$/);
		expect(warned.join()).not.toContain(KEY);
		const nobody = { intent: 'a' };
		expect(context(nobody)).toBe(nobody);
	});
});
