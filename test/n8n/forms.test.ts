import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Linter } from 'eslint';
import { NodeHelpers } from 'n8n-workflow';
import type { ICredentialType, IDataObject, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { operationIds, operationOf } from '@partner-exchange/core/catalogue';
import { PartnerExchangeApi } from '../../credentials/PartnerExchangeApi.credentials';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { formOperations } from '../../nodes/shared/form/names';
import { inZone } from '../../nodes/shared/form/parameters';
import { pick } from './exchange';
import { buildWorkflow } from '../support/engine-host';

const nodes = [PartnerExchange, PartnerExchangeTrigger, PartnerExchangeAlertTrigger].map(
	(type) => [type.name, type] as const,
);

interface RulePlugin {
	rules: Record<string, never>;
	configs: { nodes: { rules: Record<string, string> } };
}

/** With NODE_ENV "test" the plugin treats every file as one of its own fixtures. */
function loadPlugin(): RulePlugin {
	const before = process.env['NODE_ENV'];
	process.env['NODE_ENV'] = 'lint';
	try {
		return jest.requireActual<RulePlugin>('eslint-plugin-n8n-nodes-base');
	} finally {
		process.env['NODE_ENV'] = before;
	}
}

/** n8n's rules read object literals, so the generated form is printed as one. */
function literal(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	const named = Object.entries(value).filter(([, each]) => each !== undefined);
	const lines = named.map(([name, each]) => `${/^\w+$/.test(name) ? name : `'${name}'`}: ${literal(each)}`);
	return `{ ${lines.join(',\n')} }`;
}

function findings(name: string, description: INodeTypeDescription): string[] {
	const plugin = loadPlugin();
	const { parser } = jest.requireActual<{ parser: Linter.Parser }>('typescript-eslint');
	const text = `export class ${name} implements INodeType {
		description: INodeTypeDescription = ${literal(description)};
	}`;
	const rules = Object.fromEntries(Object.keys(plugin.configs.nodes.rules).map((name) => [name, 'error' as const]));
	const messages = new Linter({ configType: 'flat' }).verify(
		text,
		[{ files: ['**/*.ts'], plugins: { 'n8n-nodes-base': plugin as never }, languageOptions: { parser }, rules }],
		`${process.cwd()}/nodes/${name}/${name}.node.ts`,
	);
	return messages.map(({ message, ruleId }) => `${ruleId}: ${message}`);
}

/** Every input of a form that a person sees, including those in collections. */
const inputsIn = (properties: INodeProperties[]): INodeProperties[] =>
	properties
		.filter(({ type }) => type !== 'hidden')
		.flatMap((each) => [
			each,
			...(each.type === 'collection' ? inputsIn((each.options ?? []) as INodeProperties[]) : []),
		]);

/** As many characters as a field inside a collection shows on a screen 1,280 pixels wide. */
const LABEL_MAX = 30;

describe('the generated forms', () => {
	it.each(nodes)("the form follows n8n's own rules for nodes: %s", (name, type) => {
		// Durations are sorted by length; n8n's rule would sort 15 minutes before 5.
		// Options and filters are in the order of their use. A choice that a person has to make begins empty.
		const allowed =
			/options-type-unsorted-items: .*Order: 1 Day \| 1 Hour|collection-type-unsorted-items|default-wrong-for-options/;
		expect(findings(name, new type().description).filter((finding) => !allowed.test(finding))).toEqual([]);
	});

	it('the forms offer every operation of the catalogue once', () => {
		const { properties } = new PartnerExchange().description;
		const offered = properties
			.filter(({ name }) => name === 'operation')
			.flatMap(({ displayOptions, options = [] }) =>
				options.map(
					(option) =>
						`${String(displayOptions?.show?.['resource']?.[0])}.${String((option as { value: string }).value)}`,
				),
			);
		expect(offered.sort()).toEqual(formOperations.map(({ resource, operation }) => `${resource}.${operation}`).sort());
		expect(offered).toHaveLength(operationIds.length);
	});

	it('the forms have no label that n8n would cut beside the menu of its field', () => {
		const inputs = nodes.flatMap(([, type]) => inputsIn(new type().description.properties));
		const labels = inputs.filter(({ type }) => type !== 'notice').map(({ displayName }) => displayName);
		expect(labels.filter((label) => label.length > LABEL_MAX)).toEqual([]);
	});

	it('no form shows a field by a regular expression, which n8n ends after 250 ms also before an order', () => {
		const forms = [...nodes.map(([, Type]) => new Type().description), new PartnerExchangeApi()];
		expect(forms.filter(({ properties }) => JSON.stringify(properties).includes('"regex"'))).toEqual([]);
	});

	it('the forms give amounts to the flow as text, never through a number input', () => {
		const decimals = operationIds.flatMap((id) =>
			Object.entries(operationOf(id).input)
				.filter(([, field]) => field.kind === 'decimal')
				.map(([name]) => name),
		);
		const inputs = inputsIn(new PartnerExchange().description.properties).filter(({ name }) => decimals.includes(name));
		expect(inputs.length).toBeGreaterThan(5);
		expect(inputs.filter(({ type }) => type !== 'string')).toEqual([]);
	});

	it('the forms hide a field on another literal choice alone, so that an expression hides none', () => {
		const { description } = new PartnerExchange();
		const shows = (order_type: string) => {
			const parameters = { resource: 'order', operation: 'create', order_type, options: {} };
			return description.properties
				.filter(({ name }) => name === 'price')
				.filter((price) => NodeHelpers.displayParameter(parameters, price, { typeVersion: 1 }, description))
				.map(({ required }) => (required ? 'required' : 'not required'));
		};
		const seen = Object.fromEntries(['limit', 'market', '={{ $json.type }}'].map((each) => [each, shows(each)]));
		expect(seen).toEqual({ limit: ['required'], market: [], '={{ $json.type }}': ['not required'] });
		const conditions = inputsIn(description.properties).flatMap(({ displayOptions }) =>
			Object.keys(displayOptions?.show ?? {}),
		);
		expect(new Set(conditions)).toEqual(
			new Set(['resource', 'operation', 'returnAll', 'wait', 'wait_settled', '@tool']),
		);
	});

	it('the forms choose nothing for a person that a person has to choose, and ask for it', () => {
		const { description } = new PartnerExchange();
		for (const name of ['side', 'order_type']) {
			const forms = description.properties.filter((each) => each.name === name);
			// Where both may be meant, nothing has to be chosen.
			const choices = forms.filter(
				({ options = [] }) => !options.some((each) => 'value' in each && each.value === 'both'),
			);
			expect(choices).not.toEqual([]);
			for (const { default: begin, required } of choices) expect([begin, required]).toEqual(['', true]);
		}
		const parameters = { resource: 'order', operation: 'create', quantity: '10' };
		const issues = NodeHelpers.getNodeParametersIssues(
			description.properties,
			{ parameters, typeVersion: 1 } as never,
			description,
		);
		expect(Object.keys(issues?.parameters ?? {})).toEqual(expect.arrayContaining(['side', 'order_type']));
	});

	it('the forms offer Allow Production to a person alone, and only where something changes for good', () => {
		const { properties } = new PartnerExchange().description;
		const offering = properties.filter(({ options = [] }) => options.some(({ name }) => name === 'production'));
		const switches = offering.flatMap(({ options }) =>
			(options as INodeProperties[]).filter(({ name }) => name === 'production'),
		);
		expect(switches.length).toBeGreaterThan(3);
		expect(switches.filter(({ noDataExpression }) => !noDataExpression)).toEqual([]);
		expect(JSON.stringify(offering.map(({ displayOptions }) => displayOptions))).not.toContain('verifyAccount');
	});

	it('a form for the sandbox shows what has to be filled in, and one collection for all else', () => {
		const { description } = new PartnerExchange();
		const unchosen = { order_type: '', recipient_type: '' };
		const begins = (resource: string, operation: string): string[] =>
			description.properties
				.filter((each) =>
					NodeHelpers.displayParameter({ ...unchosen, resource, operation }, each, { typeVersion: 1 }, description),
				)
				.filter(({ type }) => type !== 'notice' && type !== 'hidden')
				.map(({ displayName }) => displayName);
		const chosen = ['Resource', 'Operation'];
		expect(begins('order', 'create')).toEqual([...chosen, 'Pair', 'Side', 'Order Type', 'Quantity', 'Options']);
		expect(begins('recipient', 'create')).toEqual([...chosen, 'Recipient Type', 'Currency', 'Label', 'Options']);
		expect(begins('recipient', 'update')).toEqual([...chosen, 'Recipient ID', 'Label', 'Options']);
		expect(begins('fill', 'getAll')).toEqual([...chosen, 'Return All', 'Filters', 'Options']);
	});

	it('every picker of the forms can be left for typing', () => {
		const pickers = inputsIn(new PartnerExchange().description.properties).filter(
			({ type }) => type === 'resourceLocator',
		);
		expect(pickers.length).toBeGreaterThan(10);
		for (const { modes } of pickers) expect(modes?.map(({ type }) => type)).toEqual(['list', 'string']);
		const methods = new PartnerExchange().methods.listSearch;
		for (const { modes } of pickers) expect(methods).toHaveProperty(modes![0]!.typeOptions!.searchListMethod!);
	});
});

describe('what people type to find a node', () => {
	const aliases = (name: string): string[] =>
		(JSON.parse(readFileSync(join(__dirname, `../../nodes/${name}/${name}.node.json`), 'utf8')) as { alias: string[] })
			.alias;
	/** n8n finds a node if the letters of the search term occur in its name in order. */
	const finds = (name: string, word: string): boolean =>
		aliases(name).some((alias) => new RegExp(word.split('').join('.*'), 'i').test(alias));

	it.each([
		[
			'PartnerExchange',
			'order orders buy sell trade trades trading forex fx naira dollar balance balances wallet bank',
		],
		[
			'PartnerExchange',
			'recipient recipients transaction deposit withdrawal simulate simulation sandbox price candles',
		],
		['PartnerExchange', 'cancel verify deposit rate rates exchange usd withdraw history payee beneficiary payout'],
		['PartnerExchange', 'fill fills execution executions update cancelled stream realtime'],
		['PartnerExchangeAlertTrigger', 'exchange rate rates price prices alert alerts forex watch'],
		['PartnerExchangeAlertTrigger', 'balance balances deposit deposits transaction transactions wallet alert naira'],
	])('a search in n8n finds %s by %s', (name, words) => {
		expect(words.split(' ').filter((word) => !finds(name, word))).toEqual([]);
	});

	it('gives a trigger no words that n8n does not search: it shows one that is called as a node is under that node', () => {
		const trigger = join(__dirname, '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node.json');
		expect(JSON.parse(readFileSync(trigger, 'utf8'))).not.toHaveProperty('alias');
	});
});

describe('the forms of the triggers', () => {
	it("a trigger's form asks for a pair only where a chosen topic needs one, or an expression may choose it", () => {
		const { description } = new PartnerExchangeTrigger();
		const pairs = description.properties.find(({ name }) => name === 'pairs')!;
		const shows = (topics: unknown) =>
			NodeHelpers.displayParameter({ topics } as never, pairs, { typeVersion: 1 }, description);
		expect([['user.fills'], ['user.fills', 'user.orders'], []].map(shows)).toEqual([false, false, false]);
		expect([['trades'], ['user.fills', 'orderbook'], '={{ $json.topics }}'].map(shows)).toEqual([true, true, true]);
	});
});

it('each node says on the canvas what it does or listens to, in the words of the form', () => {
	type Type = typeof PartnerExchange | typeof PartnerExchangeTrigger | typeof PartnerExchangeAlertTrigger;
	const subtitleOf = (type: Type, parameters: object) => {
		const workflow = buildWorkflow([{ type, parameters: parameters as never }], undefined, {});
		const [node] = Object.values(workflow.nodes);
		const { subtitle } = new type().description;
		return workflow.expression.getSimpleParameterValue(node!, subtitle, 'internal', {});
	};
	expect(subtitleOf(PartnerExchangeTrigger, { topics: ['user.fills', 'trades'] })).toBe('Fills, Public Trades');
	expect(subtitleOf(PartnerExchangeAlertTrigger, { event: 'balance' })).toBe('Balance Crossing a Line');
	expect(subtitleOf(PartnerExchangeAlertTrigger, { event: 'rate' })).toBe('Rate Crossing a Line');
	expect(subtitleOf(PartnerExchange, { resource: 'fill', operation: 'getAll' })).toBe('Get Many Fills');
	const bought = { resource: 'order', operation: 'create', side: 'buy', quantity: '10', pair_id: pick('USD/NGN') };
	expect(subtitleOf(PartnerExchange, bought)).toBe('buy 10 USD/NGN');
	expect(subtitleOf(PartnerExchange, { ...bought, quantity: '={{ $json.amount }}' })).toBe('buy USD/NGN');
	expect(subtitleOf(PartnerExchange, { ...bought, side: '={{ $json.side }}' })).toBe('Create Order');
	const limited = { ...bought, order_type: 'limit', price: '1500' };
	expect(subtitleOf(PartnerExchange, limited)).toBe('buy 10 USD/NGN at 1500');
	// The form keeps the price of a former choice out of sight.
	expect(subtitleOf(PartnerExchange, { ...limited, order_type: 'market' })).toBe('buy 10 USD/NGN');
	expect(subtitleOf(PartnerExchange, { ...bought, operation: 'estimate' })).toBe('Estimate Order: buy 10 USD/NGN');
	const deposited = { resource: 'simulation', operation: 'fiatDeposit', amount: '5000', currency: 'NGN' };
	expect(subtitleOf(PartnerExchange, deposited)).toBe('5000 NGN');
	expect(subtitleOf(PartnerExchange, { ...deposited, amount: '={{ $json.amount }}' })).toBe('Simulate Fiat Deposit');
	const real = { resource: 'order', operation: 'cancel', options: { production: true } };
	expect(subtitleOf(PartnerExchange, real)).toBe('PRODUCTION Cancel Order');
});

const optionsOf = (resource: string, operation: string): INodeProperties[] =>
	new PartnerExchange().description.properties.find(
		({ name, displayOptions }) =>
			name === 'options' &&
			displayOptions?.show?.['resource']?.includes(resource) &&
			displayOptions.show['operation']?.includes(operation),
	)!.options as INodeProperties[];

/** The labels offered by *Add Option*, and those of the options that are there already. */
const row = (resource: string, operation: string, options: IDataObject): string[] =>
	optionsOf(resource, operation)
		.filter(({ type }) => type !== 'hidden')
		.filter((each) =>
			NodeHelpers.displayParameter(options as never, each, { typeVersion: 1 }, new PartnerExchange().description),
		)
		.map(({ displayName }) => displayName);

describe('the options of an order', () => {
	it('order options are in the order of their use, Wait Until first, without those that have no effect', () => {
		expect(row('order', 'create', {}).join(', ')).toBe(
			'Wait Until, Fail When, Business Key, Maximum Quantity, Maximum Value, Allowed Pairs, Allowed Sides, ' +
				'Check Balance, Dry Run, Output, Fields, Check Market Rules, Seconds Until Unknown, Time in Force, ' +
				'Client Order ID, Idempotency Key, Send Side by Side, Allow Production',
		);
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

describe('the form of the credential', () => {
	const credential: ICredentialType = new PartnerExchangeApi();
	/** What a person sees: n8n shows no hidden field. */
	const properties = credential.properties.filter(({ type }) => type !== 'hidden');
	const named = (name: string) => properties.find((each) => each.name === name);

	it('the credential hides the key, starts in the sandbox and can be tested', () => {
		expect(named('apiKey')?.typeOptions?.password).toBe(true);
		expect(named('environment')?.default).toBe('sandbox');
		expect(new PartnerExchange().description.credentials?.[0]?.testedBy).toBe('testCredential');
	});

	type Values = Record<string, string | boolean>;
	/** The labels on the form of a stored credential, and of a new one where nothing is stored. */
	const row = (stored: Values = {}): string[] => {
		const values = { ...Object.fromEntries(properties.map((each) => [each.name, each.default])), ...stored };
		return properties
			.filter((each) => NodeHelpers.displayParameter(values as never, each, null, null))
			.map(({ displayName, required }) => displayName + (required ? ' *' : ''));
	};

	it('the credential shows four fields, and two sections for the rest', () => {
		expect(row()).toEqual(['Environment', 'Service Address', 'Stream Address', 'API Key *', 'Limits', 'Advanced']);
		const sections = properties
			.filter(({ type }) => type === 'fixedCollection')
			.map(({ options }) => (options as { displayName: string }[]).map(({ displayName }) => displayName));
		expect(sections).toEqual([
			['Stop All Orders', 'Orders per Minute', 'Orders per Day', 'Value per Minute', 'Value per Day'],
			['Test Hosts', 'Allow Different Hosts', 'Control Token', 'Wire Names'],
		]);
	});

	it('the credential prefills no text, and requires the address that only the provider knows', () => {
		const filled = properties.filter((each) => typeof each.default === 'string' && each.default !== '');
		expect(filled.map(({ name, default: value }) => [name, value])).toEqual([['environment', 'sandbox']]);
		for (const environment of ['staging', 'production'])
			expect(row({ environment }).slice(1, 4)).toEqual(['Service Address *', 'Stream Address', 'API Key *']);
	});
});
