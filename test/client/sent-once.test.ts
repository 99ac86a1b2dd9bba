import { ExchangeError } from '@partner-exchange/core';
import { operationOf, type Operation } from '@partner-exchange/core/catalogue';
import { sentOnce } from '../../packages/core/src/client/sent-once';
import type { SentOnce } from '../../packages/core/src/orders/memory';

const deposit = operationOf('simulation.fiatDeposit');
const unknown = new ExchangeError('outcome_unknown', { what: 'No reply came', details: { status: 504 } });

interface Query {
	amount?: string;
	operation?: Operation;
	fails?: Error;
}

/** A process that requests a deposit of this amount for this step, and counts its requests. */
function openProcess() {
	const stored: SentOnce = new Map();
	let sent = 0;
	const ask = async (intent: string | undefined, { amount = '5.00', operation = deposit, fails }: Query = {}) =>
		await sentOnce({ operation, accepted: { input: { amount } }, context: { intent }, writes: stored }, async () => {
			sent += 1;
			if (fails) throw fails;
			return await Promise.resolve(`answer ${sent}`);
		});
	return { ask, sent: () => sent, stored };
}

describe('a write the service cannot tell from a new one', () => {
	it('sends a simulated write once for each step, and answers a retry alike', async () => {
		const { ask, sent } = openProcess();
		expect(await ask('step-1')).toBe('answer 1');
		expect(await ask('step-1')).toBe('answer 1');
		expect(sent()).toBe(1);
	});

	it('sends a simulated write again for another step, other fields, and without a named step', async () => {
		const { ask, sent } = openProcess();
		await ask('step-1');
		await ask('step-2');
		await ask('step-1', { amount: '6.00' });
		await ask(undefined);
		await ask(undefined);
		expect(sent()).toBe(5);
	});

	it('refuses a simulated write while the outcome of an earlier try is unknown', async () => {
		const { ask, sent } = openProcess();
		await expect(ask('step-1', { fails: unknown })).rejects.toBe(unknown);
		await expect(ask('step-1')).rejects.toMatchObject({
			code: 'outcome_unknown',
			message: expect.stringContaining('this try sent nothing') as string,
			details: { status: 504 },
		});
		expect(sent()).toBe(1);
	});
});
