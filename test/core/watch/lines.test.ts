/** The lines of balances: what an older answer, another spelling or another setting changes, and which key an event has. */
import { pollBalances, type Threshold } from '@partner-exchange/core';

const NOW = Date.UTC(2026, 0, 5, 9);
const at = (minutes: number): string => new Date(Date.UTC(2026, 0, 5, 9, minutes)).toISOString();

/** Polls with a threshold each, and returns the events with what was said of each poll. */
async function tell(polls: readonly { available: string; minute?: number; line?: Partial<Threshold> }[], now = NOW) {
	let state: unknown;
	const events: { eventKey: string; told: string }[] = [];
	const learned: boolean[] = [];
	const said: string[] = [];
	for (const { available, minute, line } of polls) {
		const answer = {
			balances: [{ currency: 'NGN', available }],
			generated_at: minute === undefined ? undefined : at(minute),
		};
		const client = { now: () => now, call: async () => await Promise.resolve(answer) };
		const polled = await pollBalances(client, state, [{ currency: 'NGN', amount: '100', ...line }], {
			warn: (text) => said.push(text),
		});
		state = JSON.parse(JSON.stringify(polled.state)) as unknown;
		events.push(...polled.events.map(({ eventKey, value, crossing }) => ({ eventKey, told: `${value}: ${crossing}` })));
		learned.push(polled.learned);
	}
	const keys = events.map(({ eventKey }) => eventKey);
	return { told: events.map(({ told }) => told), keys, learned, said };
}

describe('a line of a balance', () => {
	it('is not crossed by an answer older than the last one by whatever time, and says so once it is more than a lag', async () => {
		const polls = [
			{ available: '150', minute: 50 },
			{ available: '90', minute: 41 },
			{ available: '90', minute: 10 },
			{ available: '90', minute: 11 },
			{ available: '90', minute: 51 },
		];
		const { told, said } = await tell(polls);
		expect(told).toEqual(['90: below']);
		expect(said).toEqual(Array(2).fill(expect.stringContaining(`before its last one, of ${at(50)}`)));
	});

	it('is crossed once where the service writes local time, which an autumn night has twice', async () => {
		const polls = [
			{ available: '150', minute: 59 },
			{ available: '90', minute: 1 },
			{ available: '90', minute: 30 },
			{ available: '90', minute: 60 },
		];
		const { told, said } = await tell(polls);
		expect([told, new Set(said).size]).toEqual([['90: below'], 1]);
	});

	it.each(['below', 'both'] as const)(
		'is not crossed by a change of its direction to %s while the value is on it',
		async (direction) => {
			const polls = [
				{ available: '90', line: { direction: 'above' } as const },
				{ available: '100', line: { direction: 'above' } as const },
				{ available: '100', line: { direction } },
				{ available: '99', line: { direction } },
			];
			expect((await tell(polls)).told).toEqual(['99: below']);
		},
	);

	it('is not crossed by a change of its margin, and is by the next movement past it', async () => {
		const both = (hysteresis: string) => ({ line: { direction: 'both', hysteresis } as const });
		const polls = [
			{ available: '150', ...both('20') },
			{ available: '79', ...both('20') },
			{ available: '110', ...both('20') },
			{ available: '110', ...both('5') },
			{ available: '94', ...both('5') },
		];
		expect((await tell(polls)).told).toEqual(['79: below', '94: below']);
	});

	it('that cannot be read stays as it is, and stops no other one', async () => {
		let state: unknown;
		const said: string[] = [];
		const told: string[] = [];
		const poll = async (ngn: string, usd: string) => {
			const balances = [
				{ currency: 'NGN', available: ngn },
				{ currency: 'USD', available: usd },
			];
			const client = { now: () => NOW, call: async () => await Promise.resolve({ balances }) };
			const lines = ['NGN', 'USD'].map((currency) => ({ currency, amount: '100' }));
			const polled = await pollBalances(client, state, lines, { warn: (text) => said.push(text) });
			({ state } = polled);
			told.push(...polled.events.map(({ balance, value }) => `${String(balance.currency)} ${value}`));
		};
		await poll('150', '150');
		await poll('much', '90');
		expect([told, said]).toEqual([['USD 90'], [expect.stringMatching(/^Threshold NGN.*no amount.*all others/)]]);
		await poll('90', '90');
		expect(told).toEqual(['USD 90', 'NGN 90']);
		await expect(poll('much', 'much')).rejects.toMatchObject({ code: 'malformed_response' });
	});

	it.each<[string, Partial<Threshold>]>([
		['its amount is spelled with a fraction of nought', { amount: '100.00' }],
		['its margin is changed', { hysteresis: '5' }],
		['its direction is changed', { direction: 'both' }],
		['its currency is written small', { currency: 'ngn' }],
	])('is the same line, so the crossing is told, where %s while it crosses', async (_, line) => {
		const polls = [
			{ available: '150', minute: 0 },
			{ available: '90', minute: 1, line },
		];
		expect((await tell(polls)).told).toEqual(['90: below']);
	});

	it('has a key of its own for each crossing, though it is changed and changed back', async () => {
		const { keys, told } = await tell([
			{ available: '150', minute: 0 },
			{ available: '90', minute: 1 },
			{ available: '150', minute: 2, line: { amount: '120' } },
			{ available: '150', minute: 3 },
			{ available: '90', minute: 4 },
		]);
		expect(told).toEqual(['90: below', '90: below']);
		expect(new Set(keys).size).toBe(2);
	});

	it('is one line, however it is written, so it is not watched twice', async () => {
		const client = {
			now: () => 0,
			call: async () => await Promise.resolve({ balances: [{ currency: 'NGN', available: '5' }] }),
		};
		const line = { currency: 'NGN', amount: '100' };
		await expect(
			pollBalances(client, undefined, [line, { ...line, amount: '100.0', direction: 'above' }]),
		).rejects.toMatchObject({ code: 'invalid_input', field: 'thresholds' });
	});

	it('says which polls learned something that has to be stored', async () => {
		const { learned } = await tell([
			{ available: '150', minute: 0 },
			{ available: '140', minute: 1 },
			{ available: '90', minute: 2 },
			{ available: '80', minute: 3 },
			{ available: '150', minute: 4 },
			{ available: '150', minute: 5 },
		]);
		expect(learned).toEqual([true, false, true, false, true, false]);
	});
});
