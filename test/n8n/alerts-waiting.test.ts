/** Wallet triggers while the service is away or refuses the key: who hears it, and what they tell afterwards. */
import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { startPolls, type TriggerOptions } from '../support/engine-trigger';
import { answer, credentialFor } from './exchange';

let sandbox: Sandbox;
let tests = 0;
beforeEach(async () => {
	sandbox = await startSandbox({ clock: 'virtual' });
	tests += 1;
});
afterEach(async () => await sandbox.close());

/** The polls of one activation of one workflow. */
const polls = (options: TriggerOptions = {}) =>
	startPolls(PartnerExchangeAlertTrigger, {
		...credentialFor(sandbox),
		parameters: { event: 'transaction', filters: {}, options: {} },
		workflowId: `wallet-${tests}`,
		...options,
	});
const deposit = async (): Promise<void> => {
	const fields = { email: 'trader@sandbox.test', amount: '10.00', currency: 'NGN' };
	await answer(sandbox, { resource: 'simulation', operation: 'fiatDeposit', ...fields });
	sandbox.advance(1_000);
};
const refuse = (): void => void sandbox.faults.arm({ kind: 'unauthorized', times: 1_000_000 });
const amounts = ({ items }: { items: IDataObject[] }): unknown[] => items.map(({ amount }) => amount);

describe('an alert trigger that n8n starts by itself', () => {
	it.each(['init', 'leadershipChange'] as const)(
		'an alert trigger that n8n starts begins although the key is refused, and reports a deposit made meanwhile once: %s',
		async (activation) => {
			const { staticData } = await polls()();
			await deposit();
			refuse();
			const poll = polls({ activation, nodeStaticData: staticData });
			expect((await poll()).items).toEqual([]);
			sandbox.faults.disarm();
			expect(amounts(await poll())).toEqual(['10.00']);
			expect(amounts(await poll())).toEqual([]);
		},
	);

	it('an alert trigger that n8n starts fails once where the key stays refused, which runs the error workflow once', async () => {
		const { staticData } = await polls()();
		refuse();
		const poll = polls({ activation: 'init', nodeStaticData: staticData });
		await poll();
		await expect(poll()).rejects.toThrow('does not know this key');
		expect((await poll()).items).toEqual([]);
		sandbox.faults.disarm();
		await deposit();
		expect(amounts(await poll())).toEqual(['10.00']);
		refuse();
		await expect(poll()).rejects.toThrow('does not know this key');
	});
});

describe('an alert trigger that a person publishes', () => {
	it.each(['activate', 'update'] as const)(
		'an alert trigger that a person publishes fails at once for a refused key: %s',
		async (activation) => {
			refuse();
			await expect(polls({ activation })()).rejects.toThrow('does not know this key');
			await expect(polls({ activation })()).rejects.toThrow('does not know this key');
		},
	);

	it('an alert trigger fails once where the key is refused later, and reports a deposit made meanwhile once', async () => {
		const poll = polls();
		await poll();
		refuse();
		await expect(poll()).rejects.toThrow('does not know this key');
		expect((await poll()).items).toEqual([]);
		await Promise.resolve(sandbox.faults.disarm());
		await deposit();
		expect(amounts(await poll())).toEqual(['10.00']);
		expect(amounts(await poll())).toEqual([]);
	});
});
