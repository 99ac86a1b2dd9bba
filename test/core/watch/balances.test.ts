import { pollBalances, type Threshold } from '@partner-exchange/core';
import { NOW } from './service';

/** Feeds the values to a threshold and returns each crossing as `value: direction`. */
async function cross(threshold: Omit<Threshold, 'currency'>, values: string[]): Promise<string[]> {
	let state: unknown;
	const crossings: string[] = [];
	for (const available of values) {
		const client = {
			now: () => NOW,
			call: async () =>
				Promise.resolve({
					balances: [{ currency: 'NGN', available, locked: '0.00', total: available }],
					generated_at: '2026-01-01T00:00:00Z',
				}),
		};
		const polled = await pollBalances(client, state, [{ currency: 'NGN', ...threshold }]);
		state = JSON.parse(JSON.stringify(polled.state)) as unknown;
		crossings.push(...polled.events.map(({ value, crossing }) => `${value}: ${crossing}`));
	}
	return crossings;
}

describe('polling balances', () => {
	it('watches the chosen field, and negative amounts', async () => {
		const client = {
			now: () => NOW,
			call: async () =>
				Promise.resolve({ balances: [{ currency: 'NGN', available: '-5.00', locked: '7.00', total: '2.00' }] }),
		};
		const { state } = await pollBalances(client, undefined, [
			{ currency: 'NGN', amount: '1', field: 'locked' },
			{ currency: 'NGN', amount: '1' },
		]);
		expect(Object.values(state.lines).map(({ side }) => side)).toEqual(['above', 'below']);
	});

	it.each([
		['below', '5', ['5: below']],
		['above', '500', ['500: above']],
		['below', '500', []],
		['both', '5', []],
	] as const)(
		'reports at once that a balance is already %s the line, when asked to',
		async (direction, value, report) => {
			expect(await cross({ amount: '100', direction, initial: true }, [value, value])).toEqual(report);
		},
	);

	it('refuses a currency the wallet does not have, and accepts ngn for NGN', async () => {
		const client = {
			now: () => NOW,
			call: async () => Promise.resolve({ balances: [{ currency: 'NGN', available: '5' }, { currency: 'USD' }] }),
		};
		await expect(pollBalances(client, undefined, [{ currency: 'NGM', amount: '1' }])).rejects.toMatchObject({
			code: 'invalid_input',
			field: 'currency',
			message: expect.stringContaining('The wallet has no balance in NGM. Choose one of NGN, USD'),
		});
		const { state } = await pollBalances(client, undefined, [{ currency: 'ngn', amount: '1' }]);
		expect(Object.values(state.lines)).toMatchObject([{ side: 'above' }]);
	});

	it.each([
		[{ currency: '', amount: '1' }, 'currency'],
		[{ currency: '  ', amount: '1' }, 'currency'],
		[{ currency: 'NGN', amount: '1e5' }, 'amount'],
		[{ currency: 'NGN', amount: '1', hysteresis: '-1' }, 'hysteresis'],
	])('refuses the threshold %j before any request', async (threshold, field) => {
		const client = { now: () => NOW, call: async () => Promise.reject(new Error('asked')) };
		await expect(pollBalances(client, undefined, [threshold])).rejects.toMatchObject({ code: 'invalid_input', field });
	});

	const clientOf = (balances: unknown[], more: object = {}) => ({
		now: () => NOW,
		call: async () => Promise.resolve({ balances, ...more }) as never,
	});
	const ngn = (available: unknown) => ({ currency: 'NGN', available });
	const below = { currency: 'NGN', amount: '100' };

	it('shows with a crossing the balance before, and the time of the service', async () => {
		const options = { generated_at: '2026-01-05T09:00:00Z' };
		const { state } = await pollBalances(clientOf([ngn('150')]), undefined, [below]);
		const { events } = await pollBalances(clientOf([ngn('99')], options), state, [below]);
		expect(events).toEqual([
			{
				eventKey: `balance:NGN:available:100:below:${NOW}:2`,
				crossing: 'below',
				threshold: { ...below, field: 'available', direction: 'below', hysteresis: '0', initial: false },
				value: '99',
				previous_value: '150',
				balance: ngn('99'),
				generated_at: '2026-01-05T09:00:00Z',
			},
		]);
		expect((await pollBalances(clientOf([ngn('99')]), state, [below])).events[0]!.generated_at).toBeNull();
		expect((await pollBalances(clientOf([ngn('5')]), undefined, [{ ...below, initial: true }])).events).toMatchObject([
			{ initial: true, previous_value: null, eventKey: `balance:NGN:available:100:below:${NOW}:1` },
		]);
	});

	it('rejects with the error that ended the poll', async () => {
		const { signal } = new AbortController();
		const requests: unknown[] = [];
		const call = async (...args: unknown[]) => (
			requests.push(args),
			Promise.resolve({ balances: [ngn('5')] }) as never
		);
		await pollBalances({ now: () => NOW, call }, undefined, [below], { signal });
		expect(requests).toEqual([['wallet.balances', {}, { signal }]]);
	});

	it('watches at most 100 thresholds', async () => {
		const many = (count: number) => Array.from({ length: count }, (_, index) => ({ ...below, amount: String(index) }));
		await expect(pollBalances(clientOf([ngn('5')]), undefined, many(101))).rejects.toMatchObject({
			field: 'thresholds',
		});
		const { state } = await pollBalances(clientOf([ngn('5')]), undefined, many(100));
		expect(Object.keys(state.lines)).toHaveLength(100);
	});

	it.each([[[]], [[{ available: '5' }]], [[{ currency: 'USD', available: '5' }]]])(
		'rejects balances that lack the one it watches, which says as little as zero: %j',
		async (balances) => {
			const { state } = await pollBalances(clientOf([ngn('150')]), undefined, [below]);
			const rejected = {
				code: 'malformed_response',
				what: expect.stringContaining('no amount as the available balance in NGN') as string,
			};
			await expect(pollBalances(clientOf(balances), state, [below])).rejects.toMatchObject(rejected);
			const warnings: string[] = [];
			const usd = { ...below, currency: 'USD' };
			const both = await pollBalances(clientOf([ngn('150'), { currency: 'USD', available: '150' }]), state, [
				below,
				usd,
			]);
			const options = { warn: (text: string) => void warnings.push(text) };
			const known = await pollBalances(
				clientOf([{ currency: 'USD', available: '5' }]),
				both.state,
				[below, usd],
				options,
			);
			expect([known.events.length, known.state.lines['NGN:available:100'], warnings.length]).toEqual([
				...[1, both.state.lines['NGN:available:100'], 1],
			]);
		},
	);

	it.each([null, 'much', '1e', '5,00', '٥', '', { amount: '5' }])(
		'rejects a balance that is no amount, because it would never cross again: %j',
		async (available) => {
			const { state } = await pollBalances(clientOf([ngn('150')]), undefined, [below]);
			await expect(pollBalances(clientOf([ngn(available)]), state, [below])).rejects.toMatchObject({
				code: 'malformed_response',
				message: expect.stringContaining('no amount as the available balance in NGN') as string,
			});
		},
	);

	it('counts the line itself as above for one direction and below for the other', async () => {
		expect(await cross({ amount: '100' }, ['150', '100', '99.99'])).toEqual(['99.99: below']);
		expect(await cross({ amount: '100', direction: 'above' }, ['50', '100', '100.01'])).toEqual(['100.01: above']);
		const both = { amount: '100', hysteresis: '10' };
		expect(await cross(both, ['105', '99', '109.99', '110', '99'])).toEqual(['99: below', '99: below']);
		expect(await cross({ ...both, direction: 'above' }, ['95', '101', '90.01', '101'])).toEqual(['101: above']);
		expect(await cross({ ...both, direction: 'above' }, ['95', '101', '90.01', '101', '90', '101'])).toEqual([
			'101: above',
			'101: above',
		]);
		expect(await cross({ amount: '100', hysteresis: '' }, ['150', '99'])).toEqual(['99: below']);
	});

	it('judges a first balance as it is, whatever the hysteresis', async () => {
		expect(await cross({ amount: '100', hysteresis: '50' }, ['120', '99'])).toEqual(['99: below']);
		expect(await cross({ amount: '100', hysteresis: '50', direction: 'above' }, ['80', '101'])).toEqual(['101: above']);
	});

	it.each([' ', 5 as never, '\n'])(
		'refuses %j for a currency, and takes one with spaces around it',
		async (currency) => {
			await expect(pollBalances(clientOf([ngn('5')]), undefined, [{ ...below, currency }])).rejects.toMatchObject({
				code: 'invalid_input',
				field: 'currency',
			});
			const { state } = await pollBalances(clientOf([ngn('5')]), undefined, [{ ...below, currency: ' NGN ' }]);
			expect(Object.keys(state.lines)).toEqual(['NGN:available:100']);
		},
	);

	it.each([{ side: 'aside', value: '150' }, { side: 'above', value: 'much' }, ['above', '150'], 'above', null])(
		'refuses a stored state in which a line is %j, and continues from a sound one',
		async (line) => {
			const stored = { version: 1, changes: 1, beganAt: NOW, lines: { 'NGN:available:100': line } };
			await expect(pollBalances(clientOf([ngn('99')]), stored, [below])).rejects.toMatchObject({
				...{ code: 'invalid_input', field: 'state' },
			});
			const sound = { ...stored, lines: { 'NGN:available:100': { side: 'above', value: '150' } } };
			expect(await pollBalances(clientOf([ngn('99')]), sound, [below])).toMatchObject({
				events: [{ crossing: 'below' }],
				state: { changes: 2 },
			});
		},
	);

	it.each([
		{ changes: -1 },
		{ changes: '1' },
		{ beganAt: undefined },
		{ beganAt: 'today' },
		{ lines: { 'NGN:available:100': { side: 'above', value: '150', at: 'now' } } },
	])('refuses a stored state with %j, in words that say how to go on', async (odd) => {
		const sound = { version: 1, changes: 1, beganAt: NOW, lines: {} };
		expect(await pollBalances(clientOf([ngn('99')]), sound, [below])).toMatchObject({ events: [] });
		await expect(pollBalances(clientOf([ngn('99')]), { ...sound, ...odd }, [below])).rejects.toMatchObject({
			...{ code: 'invalid_input', field: 'state', message: expect.stringContaining('a copy of the node') as string },
		});
	});

	it.each([
		['below', '99', {}, ['The balance of NGN is below 100 already']],
		['above', '101', {}, ['The balance of NGN is above 100 already']],
		['below', '101', {}, []],
		['both', '99', {}, []],
		['below', '99', { initial: true }, []],
	] as const)(
		'says at the first look alone of a line %s that %s %j is past it already',
		async (direction, value, more, expected) => {
			const said: string[] = [];
			const line = { ...below, direction, ...more };
			const look = async (before: unknown) =>
				await pollBalances(clientOf([ngn(value)]), before, [line], { warn: (text) => said.push(text) });
			await look((await look(undefined)).state);
			expect(said).toEqual(expected.map((text) => expect.stringContaining(text) as string));
		},
	);
});
