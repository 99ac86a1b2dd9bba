/** The alert trigger on the rate of a pair, in n8n's engine, against trades in the sandbox. */
import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { startPolls, type TriggerOptions } from '../support/engine-trigger';
import { makeFill } from '../support/fills';
import { credentialFor, pick } from './exchange';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox({ clock: 'virtual', marketMaker: false, settings: { orderDelayMs: 0 } });
});
afterEach(async () => await sandbox.close());

const above = { event: 'rate', pair_id: pick('USD/NGN'), threshold: '1650.00', direction: 'above' };

/** Each look is of a new process, which knows what the one before stored. */
const look = async (parameters: IDataObject, nodeStaticData?: IDataObject, more: TriggerOptions = {}) =>
	await startPolls(PartnerExchangeAlertTrigger, {
		...credentialFor(sandbox),
		parameters: { filters: {}, options: {}, ...parameters },
		...(nodeStaticData ? { nodeStaticData } : {}),
		...more,
	})();

/** Looks after a trade at each price, and returns what is told, as `value: crossing`. */
async function tell(parameters: IDataObject, prices: readonly string[]) {
	let stored: IDataObject | undefined;
	const told: string[] = [];
	for (const price of prices) {
		await makeFill(sandbox, price);
		const { items, staticData } = await look(parameters, stored);
		stored = JSON.parse(JSON.stringify(staticData)) as IDataObject;
		told.push(...items.map(({ value, crossing }) => `${String(value)}: ${String(crossing)}`));
	}
	return told;
}

it('a workflow begins once for each crossing of a rate, over restarts', async () => {
	const prices = ['1700.00', '1600.00', '1651.00', '1652.00', '1649.00', '1660.00'];
	expect(await tell(above, prices)).toEqual(['1651.00: above', '1660.00: above']);
});

it('a workflow does not begin while a rate moves within the margin', async () => {
	const wide = { ...above, options: { hysteresis: '20.00' } };
	expect(await tell(wide, ['1600.00', '1651.00', '1640.00', '1651.00', '1630.00', '1651.00'])).toEqual([
		...['1651.00: above', '1651.00: above'],
	]);
});

it('a workflow gets what Create Order asks for: the pair, and the rate that crossed', async () => {
	await makeFill(sandbox, '1600.00');
	const { staticData } = await look(above);
	await makeFill(sandbox, '1651.00');
	expect((await look(above, staticData)).items).toEqual([
		expect.objectContaining({
			...{ pair_id: 'USD/NGN', field: 'last_price', threshold: '1650.00', crossing: 'above' },
			...{ value: '1651.00', previous_value: '1600.00', last_price: '1651.00' },
			eventKey: expect.stringMatching(/^rate:/) as string,
		}),
	]);
});

it('a workflow that watches what is bid does not begin while nobody bids', async () => {
	const bids = { ...above, direction: 'below', options: { field: 'best_bid', initial: true } };
	expect(await tell(bids, ['1600.00'])).toEqual([]);
});

it('a workflow begins after a look that failed, for the crossing meanwhile', async () => {
	await makeFill(sandbox, '1600.00');
	const { staticData } = await look(above);
	await makeFill(sandbox, '1651.00');
	sandbox.faults.arm({ kind: 'forbidden' });
	await expect(look(above, staticData)).rejects.toThrow('The key may not do this');
	expect((await look(above, staticData)).items).toHaveLength(1);
});

it('a rate that was watched does not make a balance cross that is watched in its place', async () => {
	await makeFill(sandbox, '1600.00');
	const { staticData } = await look(above);
	const balance = { event: 'balance', currency: pick('NGN'), threshold: '1.00', direction: 'above' };
	expect((await look(balance, staticData)).items).toEqual([]);
});

it('a test in the editor shows an example of a crossing, where no trade was made yet too', async () => {
	const [example] = (await look(above, undefined, { mode: 'manual' })).items;
	expect(example).toMatchObject({ example: true, pair_id: 'USD/NGN', crossing: 'above', value: '1650.01' });
	await makeFill(sandbox, '1651.00');
	const { items, staticData } = await look(above, undefined, { mode: 'manual' });
	expect(items).toEqual([expect.objectContaining({ example: true, value: '1651.00' })]);
	expect(staticData).toEqual({});
});

it.each([
	[{ threshold: '1.650,00' }, 'Rate must be digits with at most one point'],
	[{ threshold: '' }, 'Rate is empty'],
	[{ pair_id: pick('') }, 'Pair is missing'],
	[{ options: { hysteresis: '1650.00' } }, 'only one crossing would ever count'],
	[{ pair_id: pick('US/DNGN') }, 'pair is not supported'],
])('a workflow that watches %j is told in words what is wrong', async (parameters, words) => {
	await expect(look({ ...above, ...parameters })).rejects.toThrow(words);
});
