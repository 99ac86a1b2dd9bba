/** The lines of balances: what an older answer, another spelling or another setting changes, and which key an event has. */
import { pollBalances, type Threshold } from '@partner-exchange/core';

const at = (minutes: number): string => new Date(Date.UTC(2026, 0, 5, 9, minutes)).toISOString();

/** Polls with a threshold each, and returns the events with what was said of each poll. */
async function tell(polls: readonly { available: string; minute?: number; line?: Partial<Threshold> }[]) {
	let state: unknown;
	const events: { eventKey: string; told: string }[] = [];
	const learned: boolean[] = [];
	for (const { available, minute, line } of polls) {
		const answer = {
			balances: [{ currency: 'NGN', available }],
			generated_at: minute === undefined ? undefined : at(minute),
		};
		const client = { call: async () => await Promise.resolve(answer) };
		const polled = await pollBalances(client, state, [{ currency: 'NGN', amount: '100', ...line }]);
		state = JSON.parse(JSON.stringify(polled.state)) as unknown;
		events.push(...polled.events.map(({ eventKey, value, crossing }) => ({ eventKey, told: `${value}: ${crossing}` })));
		learned.push(polled.learned);
	}
	const keys = events.map(({ eventKey }) => eventKey);
	return { told: events.map(({ told }) => told), keys, learned };
}

describe('a line of a balance', () => {
	it('is not crossed by an answer older than the last one', async () => {
		const polls = [
			{ available: '150', minute: 0 },
			{ available: '90', minute: 3 },
			{ available: '150', minute: 2 },
			{ available: '90', minute: 3 },
			{ available: '90', minute: 4 },
		];
		expect((await tell(polls)).told).toEqual(['90: below']);
	});

	it('is crossed again where the clock of the service was set back', async () => {
		const polls = [
			{ available: '150', minute: 50 },
			{ available: '90', minute: 10 },
		];
		expect((await tell(polls)).told).toEqual(['90: below']);
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

	it('has other keys once all was forgotten', async () => {
		const first = await tell([
			{ available: '150', minute: 0 },
			{ available: '90', minute: 1 },
		]);
		const second = await tell([
			{ available: '150', minute: 10 },
			{ available: '90', minute: 11 },
		]);
		expect(second.keys).toHaveLength(1);
		expect(second.keys).not.toEqual(first.keys);
	});

	it('is one line, however it is written, so it is not watched twice', async () => {
		const client = { call: async () => await Promise.resolve({ balances: [{ currency: 'NGN', available: '5' }] }) };
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
