import { pollBalances, type Threshold } from '@partner-exchange/core';

/** Runs the values through a threshold and tells each crossing as `value: direction`. */
async function cross(threshold: Omit<Threshold, 'currency'>, values: string[]): Promise<string[]> {
	let state: unknown;
	const crossings: string[] = [];
	for (const available of values) {
		const client = {
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
	it('only finds the side the first time', async () => {
		expect(await cross({ amount: '100' }, ['5', '5'])).toEqual([]);
	});

	it('reports a crossing once, and again only after it came back', async () => {
		expect(await cross({ amount: '100' }, ['150', '99.99', '50', '100', '99', '200'])).toEqual([
			'99.99: below',
			'99: below',
		]);
	});

	it('does not chatter around the line with a hysteresis', async () => {
		expect(
			await cross({ amount: '100', hysteresis: '20' }, ['150', '99', '101', '99', '119.99', '99', '120', '99']),
		).toEqual(['99: below', '99: below']);
	});

	it('reports the way up when asked to, with the hysteresis on the other side', async () => {
		expect(
			await cross({ amount: '100', direction: 'above', hysteresis: '20' }, ['50', '101', '99', '101', '80', '101']),
		).toEqual(['101: above', '101: above']);
	});

	it('reports both ways when asked to', async () => {
		expect(await cross({ amount: '100', direction: 'both' }, ['150', '99', '100'])).toEqual([
			'99: below',
			'100: above',
		]);
	});

	it('compares exactly, whatever the size', async () => {
		expect(await cross({ amount: '9007199254740993.01' }, ['9007199254740993.01', '9007199254740993.00'])).toEqual([
			'9007199254740993.00: below',
		]);
	});

	it('watches the field asked for, and negative amounts', async () => {
		const client = {
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
	] as const)('tells at once that a balance is already %s the line, where asked to', async (direction, value, told) => {
		expect(await cross({ amount: '100', direction, initial: true }, [value, value])).toEqual(told);
	});

	it('refuses a currency the wallet does not have, and takes ngn for NGN', async () => {
		const client = {
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

	it('keeps what it knows of a balance that is not told', async () => {
		const told = { call: async () => Promise.resolve({ balances: [{ currency: 'NGN', available: '150' }] }) };
		const { state } = await pollBalances(told, undefined, [{ currency: 'NGN', amount: '100' }]);
		const silent = { call: async () => Promise.resolve({ balances: [{ currency: 'NGN', available: null }] }) };
		expect(await pollBalances(silent, state, [{ currency: 'NGN', amount: '100' }])).toEqual({ events: [], state });
	});

	it('gives every crossing a key of its own, the same when it is found again', async () => {
		const at = (available: string) => ({
			call: async () => Promise.resolve({ balances: [{ currency: 'NGN', available }] }),
		});
		const threshold = [{ currency: 'NGN', amount: '100' }];
		const { state } = await pollBalances(at('150'), undefined, threshold);
		const [first, again] = [
			await pollBalances(at('99'), state, threshold),
			await pollBalances(at('98'), state, threshold),
		];
		expect(first.events[0]!.eventKey).toBe(again.events[0]!.eventKey);
		const up = await pollBalances(at('150'), first.state, threshold);
		const next = await pollBalances(at('99'), up.state, threshold);
		expect(next.events[0]!.eventKey).not.toBe(first.events[0]!.eventKey);
	});

	it.each([
		[{ currency: '', amount: '1' }, 'currency'],
		[{ currency: 'NGN', amount: '1e5' }, 'amount'],
		[{ currency: 'NGN', amount: '1', hysteresis: '-1' }, 'hysteresis'],
	])('refuses %j before anything is asked', async (threshold, field) => {
		const client = { call: async () => Promise.reject(new Error('asked')) };
		await expect(pollBalances(client, undefined, [threshold])).rejects.toMatchObject({ code: 'invalid_input', field });
	});
});
