/** What a trigger makes of what n8n has stored for it: of this version, of another one, damaged, or with another filter. */
import type { IDataObject } from 'n8n-workflow';
import { seal } from '@partner-exchange/core/adapters';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { until } from '../support/condition';
import { pollOnce } from '../support/engine-trigger';
import { answer, credentialFor } from './exchange';
import { openTriggers } from './triggers';

const triggers = openTriggers();
const deposit = async (amount: string): Promise<unknown> =>
	await answer(triggers.sandbox(), {
		...{ resource: 'simulation', operation: 'fiatDeposit', email: 'trader@sandbox.test', amount, currency: 'NGN' },
	});
const polled = async (nodeStaticData: IDataObject, filters: IDataObject = {}) =>
	await pollOnce(PartnerExchangeAlertTrigger, {
		...credentialFor(triggers.sandbox()),
		parameters: { event: 'transaction', filters, options: {} } as never,
		nodeStaticData,
	});
const newOnes = ({ items }: Awaited<ReturnType<typeof polled>>): unknown[] =>
	items.filter(({ change }) => change === 'new').map(({ amount }) => amount);
/** What the trigger stored before n8n stopped, and a fill that it missed. */
async function stored(): Promise<IDataObject> {
	const before = await triggers.listen();
	await triggers.fill();
	await before.waitForItems(1);
	await before.close();
	await triggers.fill();
	return before.staticData();
}
const sealedBy = (version: number, { value }: IDataObject): IDataObject => ({ ...seal(value, version) }) as IDataObject;
const damaged = ({ value, ...rest }: IDataObject): IDataObject => ({ ...rest, value: { ...(value as object), a: 1 } });

describe('a stream trigger for which n8n has stored something', () => {
	it('begins with new events where another version stored it, and tells a gap', async () => {
		const trigger = await triggers.listen({ nodeStaticData: sealedBy(99, await stored()) });
		await until(() => trigger.notices().length === 1, { what: 'the gap' });
		expect(trigger.notices()).toMatchObject([
			{ kind: 'gap', data: { done: 'position_lost', may_be_missing: expect.stringMatching(/^Fills before 20/) } },
		]);
		await triggers.fill();
		// The service dates its replies by the second, so what happened in the second of the start may come too.
		await until(() => trigger.items().some(({ delivery }) => delivery === 'live'), { what: 'the new fill' });
		// What is stored from now on is of this version.
		await trigger.close();
		const next = await triggers.listen({ nodeStaticData: trigger.staticData() });
		await triggers.fill();
		await next.waitForItems(1);
		expect([next.items().length, next.notices()]).toEqual([1, []]);
	});

	it('does not begin where it is damaged, and says the way on, which skips no event without a word', async () => {
		const listening = triggers.listen({ nodeStaticData: damaged(await stored()) });
		await expect(listening).rejects.toThrow(/is damaged.*Rename the node.*look up what happened meanwhile/);
	});
});

describe('an alert trigger for which n8n has stored something', () => {
	it('begins with new transactions where another version stored it', async () => {
		await deposit('1.00');
		const { staticData } = await polled({});
		await deposit('2.00');
		const anew = await polled(sealedBy(99, staticData));
		expect(anew.items).toEqual([]);
		await deposit('3.00');
		expect(newOnes(await polled(anew.staticData))).toEqual(['3.00']);
	});

	it('reports nothing where it is damaged, and says the way on', async () => {
		const { staticData } = await polled({});
		await expect(polled(damaged(staticData))).rejects.toThrow(/is damaged.*Rename the node/);
	});
});

describe('a trigger whose filter is changed', () => {
	const listen = async (filters: object, nodeStaticData: IDataObject) =>
		await triggers.listen({
			parameters: { topics: ['user.fills'], pairs: [], filters, options: {} } as never,
			nodeStaticData,
		});

	const filtered = async () =>
		((await answer(triggers.sandbox(), { resource: 'stream', operation: 'status' }))['totals'] as IDataObject)[
			'filtered'
		];

	it('the stream trigger does not tell as new what a narrower filter had rejected', async () => {
		const narrow = await listen({ min_quantity: '5' }, {});
		// n8n stores what an activation has left, and nothing more until an execution begins.
		const database = narrow.staticData();
		await triggers.fill();
		await triggers.fill();
		await until(async () => (await filtered()) === 2, { what: 'the fills' });
		await narrow.close();
		const wide = await listen({}, database);
		await triggers.fill();
		expect((await wide.waitForItems(1)).map(({ delivery }) => delivery)).toEqual(['live']);
	});

	it('the alert trigger does not tell as new what a narrower filter had rejected', async () => {
		const first = await polled({});
		await deposit('1.00');
		const narrow = await polled(first.staticData, { currency: 'USDT' });
		expect(narrow.items).toEqual([]);
		await deposit('2.00');
		expect(newOnes(await polled(narrow.staticData))).toEqual(['2.00']);
	});
});
