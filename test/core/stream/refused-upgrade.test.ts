import type { ExchangeError } from '@partner-exchange/core';
import { follow, openStage } from './stage';

const FILLS = { topics: ['user.fills'] };
const SECOND = 1_000;

describe('an upgrade that the service refuses', () => {
	it.each([408, 425])('is to be tried again later where its status is %i', async (status) => {
		const { sockets, consume, settled } = openStage({ opens: false });
		const { subscription } = consume(FILLS);
		await settled();
		sockets[0]!.close({ status });
		await expect(subscription.ready).rejects.toThrow(`status ${status}, and opens no stream. Try again later`);
	});

	it.each([401, 403])('tells the status %i that confirms the refusal of the key', async (status) => {
		const { sockets, consume, settled, pass } = openStage({ opens: false });
		const { subscription } = consume(FILLS);
		await settled();
		for (let tries = 0; tries < 3; tries += 1) {
			sockets[tries]!.close({ status });
			await pass(2 * SECOND);
		}
		const error = await subscription.ready.catch((reason: ExchangeError) => reason);
		expect(error).toMatchObject({ status, what: expect.stringContaining(`(status ${status})`) });
	});

	it.each([
		['as long as it asks', 120, 120],
		['no longer than ten minutes', 86_400, 600],
	])('is tried again after %s', async (_, asked, waited) => {
		const { sockets, pass } = await follow(FILLS);
		sockets[0]!.close({});
		await pass(2 * SECOND);
		const count = sockets.length;
		sockets.at(-1)!.close({ status: 503, retryAfterMs: asked * SECOND });
		await pass((waited - 1) * SECOND);
		expect(sockets).toHaveLength(count);
		await pass(2 * SECOND);
		expect(sockets).toHaveLength(count + 1);
	});
});
