import { NodeHelpers, type IDataObject, type INodeProperties } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { limitOrder, NODE, run } from './exchange';
import { inZone } from '../../nodes/shared/form/parameters';

const { description } = new PartnerExchange();

const optionsOf = (resource: string, operation: string): INodeProperties[] =>
	description.properties.find(
		({ name, displayOptions }) =>
			name === 'options' &&
			displayOptions?.show?.['resource']?.includes(resource) &&
			displayOptions.show['operation']?.includes(operation),
	)!.options as INodeProperties[];

/** The labels offered by *Add Option*, and those of the options that are there already. */
const row = (resource: string, operation: string, options: IDataObject): string[] =>
	optionsOf(resource, operation)
		.filter((each) => NodeHelpers.displayParameter(options as never, each, { typeVersion: 1 }, description))
		.map(({ displayName }) => displayName);

describe('the options of an order', () => {
	it('order options stand in the order of their use, Wait Until first, without those that have no effect', () => {
		expect(row('order', 'create', {})).toEqual([
			...['Wait Until', 'Fail When', 'Business Key', 'Maximum Quantity', 'Maximum Value', 'Allowed Pairs'],
			...[
				'Allowed Sides',
				'Check Balance',
				'Dry Run',
				'Output',
				'Fields',
				'Check Market Rules',
				'Seconds Until Unknown',
				'Time in Force',
				'Client Order ID',
				'Idempotency Key',
				'Send Side by Side',
				'Allow Production',
			],
		]);
		expect(row('order', 'create', { wait: 'final' }).slice(0, 2)).toEqual(['Wait Until', 'Seconds to Wait']);
		expect(row('order', 'create', { wait: 'none' })).not.toContain('Seconds to Wait');
		expect(row('transaction', 'get', { wait_settled: true })).toContain('Seconds to Wait');
	});

	it('an order option begins with a value that has an effect', () => {
		const begin = Object.fromEntries(optionsOf('order', 'create').map(({ name, default: value }) => [name, value]));
		expect(begin).toMatchObject({
			...{ wait: 'final', fail_when: 'time_limit', allowed_sides: 'buy', output_mode: 'simplified' },
			...{ dry_run: true, check_balance: true },
		});
	});

	it('an option of a trigger begins with a value that has an effect', () => {
		const begins = (properties: INodeProperties[]): Record<string, unknown> =>
			Object.fromEntries(
				properties
					.filter(({ name }) => name === 'options')
					.flatMap(({ options }) => (options as INodeProperties[]).map(({ name, default: value }) => [name, value])),
			);
		expect(begins(new PartnerExchangeTrigger().description.properties)).toMatchObject({
			...{ deliverMissed: false, tries: 3, whenTriesFail: 'failedEvents', connectionNotices: true },
			...{ eventsPerExecution: 1 },
		});
		const of = (event: string) =>
			begins(
				new PartnerExchangeAlertTrigger().description.properties.filter(({ displayOptions }) =>
					displayOptions?.show?.['event']?.includes(event),
				),
			);
		expect(of('balance')).toMatchObject({ field: 'total', initial: true });
		expect(of('rate')).toMatchObject({ field: 'best_bid', initial: true });
	});

	it('a number begins with its example, which is more use than the smallest one', () => {
		const begin = (name: string, operation: string): unknown =>
			description.properties
				.filter(({ displayOptions }) => displayOptions?.show?.['operation']?.includes(operation))
				.flatMap((each) => [each, ...((each.options ?? []) as INodeProperties[])])
				.find((each) => each.name === name)!.default;
		expect(begin('levels', 'getOrderBook')).toBe(20);
		expect(begin('delayMs', 'armFault')).toBe(5000);
		expect(begin('advance_ms', 'moveClock')).toBe(60000);
	});
});

describe('Fail When', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
	});
	afterAll(async () => await sandbox.close());

	/** The code of the error of an order that costs more than there is, or of one nobody meets. */
	const codeOf = async (order: IDataObject, options: IDataObject): Promise<unknown> => {
		const { error } = await run(sandbox, {
			...limitOrder,
			...order,
			options: { wait: 'final', wait_seconds: 1, ...options },
		});
		return (error as { context?: { data?: { code?: unknown } } } | undefined)?.context?.data?.code;
	};
	it('an order that the service takes and then rejects is an error where the form says nothing of waiting', async () => {
		const { error, items } = await run(sandbox, { ...limitOrder, ...tooCostly });
		expect(items).toEqual([]);
		expect(error?.message).toContain('No order was placed: the service took it and then rejected it');
	});

	it('an order nobody waits for is told as one that may still be rejected', async () => {
		const { items, runsOf } = await run(sandbox, { ...limitOrder, ...metByNobody, options: { wait: 'none' } });
		expect(items[0]!.json).toMatchObject({ status: 'pending' });
		const hints = runsOf(NODE)[0]!.hints!.map(({ message }) => message);
		expect(hints).toEqual([expect.stringContaining('the service may still reject it')]);
	});

	const tooCostly = { quantity: '90000.00', price: '1400.00' };
	const metByNobody = { price: '900.00' };

	it.each([
		['never', undefined, undefined],
		['rejected', 'rejected', undefined],
		['unfilled', 'rejected', undefined],
		['time_limit', 'rejected', 'time_limit'],
		[undefined, 'rejected', undefined],
	])('Fail When %s makes errors of these ends: rejected %s, too late %s', async (fail_when, rejected, late) => {
		const chosen = fail_when === undefined ? {} : { fail_when };
		expect([await codeOf(tooCostly, chosen), await codeOf(metByNobody, chosen)]).toEqual([rejected, late]);
	});
});

describe('the filters of the stream trigger', () => {
	it('the stream trigger offers a status filter only where order updates are chosen, or the topics are unknown', () => {
		const { description: trigger } = new PartnerExchangeTrigger();
		const filters = trigger.properties.find(({ name }) => name === 'filters')!.options as INodeProperties[];
		const status = filters.find(({ name }) => name === 'status')!;
		const shows = (topics: unknown) =>
			NodeHelpers.displayParameter({}, status, { typeVersion: 1 }, trigger, { topics } as never);
		expect([['user.fills'], ['trades'], []].map(shows)).toEqual([false, false, false]);
		expect([['user.fills', 'user.orders'], '={{ $json.topics }}'].map(shows)).toEqual([true, true]);
	});
});

describe('a time from the date picker', () => {
	it.each([
		['2026-01-31T12:00:00', 'Africa/Lagos', '2026-01-31T11:00:00.000Z'],
		['2026-07-01T12:00:00', 'America/New_York', '2026-07-01T16:00:00.000Z'],
		['2026-03-08T03:30:00', 'America/New_York', '2026-03-08T07:30:00.000Z'],
		['2026-03-08 01:30', 'America/New_York', '2026-03-08T06:30:00.000Z'],
		['2026-01-31T00:00:00', 'UTC', '2026-01-31T00:00:00.000Z'],
	])('reads the picked time %s in the zone of the workflow, %s', (value, zone, expected) => {
		expect(inZone(value, zone)).toBe(expected);
	});

	it.each([['2026-01-31T12:00:00Z'], ['2026-01-31T12:00:00+01:00'], ['yesterday'], [1_700_000_000_000]])(
		'keeps the zone of the picked time %p',
		(value) => {
			expect(inZone(value, 'Africa/Lagos')).toBe(value);
		},
	);
});
