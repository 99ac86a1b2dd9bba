/** What n8n stores of alert triggers: the stop of n8n after any poll loses nothing and repeats nothing. */
import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { startPolls } from '../support/engine-trigger';
import { answer, credentialFor, pick } from './exchange';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox({ clock: 'virtual' });
});
afterEach(async () => await sandbox.close());

/** A trigger in an n8n that is stopped and started again before each poll, so that it knows only what was stored. */
function restarting(parameters: IDataObject) {
	let stored: IDataObject | undefined;
	let writes = 0;
	const poll = async (credential: IDataObject = {}): Promise<IDataObject[]> => {
		const options = {
			...credentialFor(sandbox, credential),
			parameters: { filters: {}, options: {}, ...parameters },
			...(stored ? { nodeStaticData: stored } : {}),
		};
		const polled = await startPolls(PartnerExchangeAlertTrigger, options)();
		if (polled.stored) writes += 1;
		stored = polled.stored ?? stored;
		return polled.items;
	};
	return { poll, writes: () => writes };
}
const simulate = async (operation: string, amount: string): Promise<void> => {
	const fields = { email: 'trader@sandbox.test', amount, currency: 'NGN' };
	await answer(sandbox, { resource: 'simulation', operation, ...fields });
};
const settled = (): void => void sandbox.advance(1_000);

describe('the alert trigger in an n8n that is stopped after a poll', () => {
	it('the alert trigger tells each crossing, though the balance came back in a poll that told nothing', async () => {
		const line = { event: 'balance', currency: pick('NGN'), threshold: '50000500.00', direction: 'above' };
		const trigger = restarting(line);
		expect(await trigger.poll()).toEqual([]);
		for (const amount of ['1000.00', '1000.00']) {
			await simulate('fiatDeposit', amount);
			settled();
			expect(await trigger.poll()).toMatchObject([{ crossing: 'above' }]);
			await simulate('fiatWithdrawal', '1000.00');
			settled();
			expect(await trigger.poll()).toEqual([]);
		}
	});

	it('the alert trigger stores what a filter left out, so that it is known', async () => {
		const trigger = restarting({ event: 'transaction', filters: { status: ['failed'] } });
		await trigger.poll();
		await simulate('fiatDeposit', '10.00');
		expect(await trigger.poll()).toEqual([]);
		settled();
		expect(await trigger.poll()).toEqual([]);
		const writes = trigger.writes();
		expect(writes).toBe(3);
		expect(await trigger.poll()).toEqual([]);
		expect(trigger.writes()).toBe(writes);
	});

	it('the alert trigger stores nothing in a poll that learned nothing', async () => {
		const trigger = restarting({ event: 'balance', currency: pick('NGN'), threshold: '1.00', direction: 'below' });
		for (let polls = 0; polls < 4; polls += 1) expect(await trigger.poll()).toEqual([]);
		expect(trigger.writes()).toBe(1);
	});
});

describe('the alert trigger in two main processes of n8n that poll at once', () => {
	it('the alert trigger gives what both of them tell the same key, whatever it watches', async () => {
		const balance = { event: 'balance', currency: pick('NGN'), threshold: '50000500.00', direction: 'above' };
		const watched: IDataObject[] = [balance, { event: 'transaction' }];
		const begin = async (each: IDataObject, nodeStaticData?: IDataObject) =>
			await startPolls(PartnerExchangeAlertTrigger, {
				...credentialFor(sandbox),
				parameters: { filters: {}, options: {}, ...each },
				...(nodeStaticData ? { nodeStaticData } : {}),
			})();
		const began = await Promise.all(watched.map(async (each) => (await begin(each)).stored));
		await simulate('fiatDeposit', '1000.00');
		settled();
		for (const [at, each] of watched.entries()) {
			const both = await Promise.all([begin(each, began[at]), begin(each, began[at])]);
			const keys = both.flatMap(({ items }) => items.map(({ eventKey }) => eventKey));
			expect(keys).toHaveLength(2);
			expect(new Set(keys).size).toBe(1);
		}
	});
});

describe('the alert trigger after the key of its credential changed', () => {
	const byKey = (apiKey: string): IDataObject => ({ apiKey });

	it('the alert trigger begins from now with the key of another account', async () => {
		for (let deposits = 0; deposits < 3; deposits += 1)
			await answer(sandbox, {
				...{ resource: 'simulation', operation: 'fiatDeposit', email: 'second@sandbox.test' },
				...{ amount: `${deposits + 1}.00`, currency: 'NGN' },
			});
		settled();
		const trigger = restarting({ event: 'transaction' });
		await trigger.poll();
		expect(await trigger.poll(byKey('sandbox-key-second'))).toEqual([]);
		expect(await trigger.poll(byKey('sandbox-key-second'))).toEqual([]);
	});

	it('the alert trigger goes on with another key of its account', async () => {
		const trigger = restarting({ event: 'transaction' });
		await trigger.poll();
		await simulate('fiatDeposit', '10.00');
		settled();
		expect(await trigger.poll(byKey('sandbox-key-wallet-read'))).toMatchObject([{ amount: '10.00' }]);
	});
});
