import { ExchangeError } from '@partner-exchange/core';
import { operationOf, type Operation } from '@partner-exchange/core/catalogue';
import { sentOnce } from '../../packages/core/src/client/sent-once';
import type { SentOnce } from '../../packages/core/src/orders/in-flight';

const REMEMBERED = 1_000;
const deposit = operationOf('simulation.fiatDeposit');
const unknown = new ExchangeError('outcome_unknown', { what: 'No reply came', details: { status: 504 } });

interface Asked {
	amount?: string;
	operation?: Operation;
	fails?: Error;
}

/** A process that requests a deposit of this amount for this step, and counts its requests. */
function openProcess() {
	const known: SentOnce = new Map();
	let sent = 0;
	const ask = async (intent: string | undefined, { amount = '5.00', operation = deposit, fails }: Asked = {}) =>
		await sentOnce({ operation, accepted: { input: { amount } }, context: { intent }, known }, async () => {
			sent += 1;
			if (fails) throw fails;
			return await Promise.resolve(`answer ${sent}`);
		});
	return { ask, sent: () => sent, known };
}

describe('a write the service cannot tell from a new one', () => {
	it('goes out once for each step, and a later try is answered alike', async () => {
		const { ask, sent } = openProcess();
		expect(await ask('step-1')).toBe('answer 1');
		expect(await ask('step-1')).toBe('answer 1');
		expect(sent()).toBe(1);
	});

	it('goes out again for another step, other fields, and where nobody names the step', async () => {
		const { ask, sent } = openProcess();
		await ask('step-1');
		await ask('step-2');
		await ask('step-1', { amount: '6.00' });
		await ask(undefined);
		await ask(undefined);
		expect(sent()).toBe(5);
	});

	it('is refused, and not sent, while nobody knows what became of an earlier try', async () => {
		const { ask, sent } = openProcess();
		await expect(ask('step-1', { fails: unknown })).rejects.toBe(unknown);
		await expect(ask('step-1')).rejects.toMatchObject({
			code: 'outcome_unknown',
			message: expect.stringContaining('this try sent nothing') as string,
			details: { status: 504 },
		});
		expect(sent()).toBe(1);
	});

	it('goes out again after a failure that is certain', async () => {
		const { ask, sent } = openProcess();
		const refused = new ExchangeError('refused', { what: 'The amount is too small' });
		await expect(ask('step-1', { fails: refused })).rejects.toBe(refused);
		expect(await ask('step-1')).toBe('answer 2');
		expect(sent()).toBe(2);
	});

	it('is told from others by a limited memory, which forgets the oldest', async () => {
		const { ask, sent, known } = openProcess();
		for (let step = 0; step <= REMEMBERED; step++) await ask(`step-${step}`);
		expect(known.size).toBe(REMEMBERED);
		await ask('step-1');
		expect(sent()).toBe(REMEMBERED + 1);
		await ask('step-0');
		expect(sent()).toBe(REMEMBERED + 2);
	});

	it('is none that reads', async () => {
		const { ask, sent } = openProcess();
		const operation = operationOf('wallet.balances');
		await ask('step-1', { operation });
		await ask('step-1', { operation });
		expect(sent()).toBe(2);
	});
});
