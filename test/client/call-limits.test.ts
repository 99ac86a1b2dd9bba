import { createClient, TransportError, type Account } from '@partner-exchange/core';
import type { HttpRequest, Ports } from '../../packages/core/src/ports';
import { startSandbox } from '@partner-exchange/sandbox';
import { idleTime } from '../support/idle-time';
import { accountOf, errorOf } from '../support/placing';
import { forAll } from '../support/opened';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1400.00' } as const;

describe('how long a call may take, and how often it may try', () => {
	const sandbox = forAll(() => startSandbox({ seed: 7 }));
	let account: Account;
	const time = idleTime();
	const sent: HttpRequest[] = [];
	const send: Ports['send'] = (request) => (sent.push(request), time.ports.send(request));
	const client = () => createClient(account, { ...time.ports, send });

	beforeAll(() => void (account = accountOf(sandbox)));
	beforeEach(() => void (sent.length = 0));
	afterEach(() => sandbox.faults.disarm());

	const busy = (operation: string) => sandbox.faults.arm({ kind: 'server-error', operation, times: 100 } as never);

	it.each([
		[undefined, 5],
		[0, 1],
		[2, 3],
	])('a read with retries %s is sent %d times to a service that fails', async (retries, times) => {
		busy('wallet.balances');
		await time.during(errorOf(client().wallet.balances({}, retries === undefined ? {} : { retries })));
		expect(sent).toHaveLength(times);
	});

	it('a list that reads its own pages holds each request to the retries and the timeout of the call', async () => {
		busy('order.list');
		const all = async () => {
			for await (const each of client().order.list({}, { retries: 1, timeoutMs: 700 })) void each;
		};
		await time.during(errorOf(all()));
		expect(new Set(sent.map(({ timeoutMs }) => timeoutMs))).toEqual(new Set([700]));
	});

	it('each request of a read is waited for as long as the call says', async () => {
		await client().wallet.balances();
		await client().wallet.balances({}, { timeoutMs: 800 });
		expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([15_000, 800]);
	});

	it.each([
		['retries', -1],
		['retries', 1.5],
		['retries', 21],
		['timeoutMs', 0],
		['timeoutMs', Number.NaN],
		['timeoutMs', Infinity],
		['timeoutMs', '500'],
	])('%s %s is refused, and nothing is sent', async (name, value) => {
		const error = await errorOf(client().wallet.balances({}, { [name]: value }));
		expect(error).toMatchObject({ code: 'invalid_input', field: name });
		expect(error.message).toContain('nothing was sent');
		expect(sent).toEqual([]);
	});

	it.each(['retries', 'timeoutMs'])('a write of an order refuses %s, and says what limits it', async (name) => {
		const error = await errorOf(client().order.create(order, { [name]: 3 }));
		expect(error).toMatchObject({ code: 'invalid_input', field: name });
		expect(error.message).toContain('unknown_after_seconds');
		expect(sent).toEqual([]);
	});

	it('an order whose answer never comes is unknown after the seconds it was given', async () => {
		const seconds = 3;
		const silent: Ports['send'] = async (request) => {
			if (request.method !== 'POST') return await send(request);
			sent.push(request);
			throw new TransportError('timeout', 'perhaps');
		};
		const options = { unknown_after_seconds: seconds, check_market: false };
		await time.during(errorOf(createClient(account, { ...time.ports, send: silent }).order.create(order, { options })));
		expect(sent.filter(({ method }) => method === 'POST').map(({ timeoutMs }) => timeoutMs)[0]).toBe(seconds * 1_000);
	});
});
