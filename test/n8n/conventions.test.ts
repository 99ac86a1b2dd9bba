import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Linter } from 'eslint';
import { NodeHelpers } from 'n8n-workflow';
import type { INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { operationIds, operationOf } from '@partner-exchange/core/catalogue';
import { PartnerExchangeApi } from '../../credentials/PartnerExchangeApi.credentials';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { formOperations } from '../../nodes/shared/form/names';
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

/** Every input of a form, including those in collections. */
const inputsIn = (properties: INodeProperties[]): INodeProperties[] =>
	properties.flatMap((each) => [
		each,
		...(each.type === 'collection' ? inputsIn((each.options ?? []) as INodeProperties[]) : []),
	]);

/** As many characters as a field inside a collection shows on a screen 1,280 pixels wide. */
const LABEL_MAX = 30;

describe('the generated forms', () => {
	it.each(nodes)('"the form follows n8n\'s own rules for nodes: %s"', (name, type) => {
		// Durations are sorted by length; n8n's rule would sort 15 minutes before 5.
		// Options and filters stand in the order of their use. A choice that a person has to make begins empty.
		const allowed =
			/options-type-unsorted-items: .*Order: 1 Day \| 1 Hour|collection-type-unsorted-items|default-wrong-for-options/;
		expect(findings(name, new type().description).filter((finding) => !allowed.test(finding))).toEqual([]);
	});

	it("n8n's rules would notice a final period, a wrong case and a missing default", () => {
		const { description } = new PartnerExchange();
		const bad = [
			{ displayName: 'Order ID', name: 'one', type: 'string', default: '', description: 'One clause.' },
			{ displayName: 'Order Id', name: 'two', type: 'string', default: '' },
			{ displayName: 'Order ID', name: 'three', type: 'string' },
		] as INodeProperties[];
		const match = findings('PartnerExchange', { ...description, properties: bad }).join('\n');
		for (const rule of ['excess-final-period', 'miscased-id', 'default-missing']) expect(match).toContain(rule);
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

	it('the form of a recipient begins with the currency of a bank account, which has one alone', () => {
		const { description } = new PartnerExchange();
		const begin = (recipient_type: string) =>
			NodeHelpers.getNodeParameters(
				description.properties,
				{ resource: 'recipient', operation: 'create', recipient_type },
				true,
				false,
				{ typeVersion: 1 },
				description,
			)!['currency'];
		expect(['', 'fiat', 'crypto', '={{ $json.type }}'].map(begin)).toEqual(['', 'NGN', '', '']);
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

	it('the forms name an action without articles, as those of n8n do', () => {
		const actions = operationIds.map((id) => operationOf(id).action);
		expect(actions.filter((action) => /\b(an?|the)\b/i.test(action))).toEqual([]);
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
			const choices = description.properties.filter((each) => each.name === name);
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

	it('the forms begin a choice with one of its values, or with none where a person has to make it', () => {
		const inputs = nodes.flatMap(([, type]) => inputsIn(new type().description.properties));
		const choices = inputs.filter(({ type, options }) => type === 'options' && options);
		const wrong = choices.filter(({ options = [], default: begin, required }) => {
			const values = options.map((option) => (option as INodePropertyOptions).value);
			return begin === '' ? !required : !values.includes(begin as string);
		});
		expect(wrong.map(({ name }) => name)).toEqual([]);
		expect(choices.length).toBeGreaterThan(20);
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
				.filter(({ type }) => type !== 'notice')
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

	it('the forms name the business key only where there is one', () => {
		const { properties } = new PartnerExchange().description;
		const spoken = properties
			.filter(
				({ type, displayName }) =>
					type === 'notice' && displayName.includes('add a Business Key under Options, such as'),
			)
			.map(({ displayOptions: { show } = {} }) => [show!['resource'], show!['operation']].join('.'));
		const offering = formOperations.filter(({ id }) => operationOf(id).options?.includes('business_key'));
		expect(spoken).toEqual(offering.map(({ resource, operation }) => `${resource}.${operation}`));
		expect(spoken).not.toEqual([]);
	});

	it('the forms offer no operation that moves real money out (checklist 6)', () => {
		const offered = formOperations.filter(({ id }) => /withdraw/i.test(id));
		expect(offered.map(({ id }) => operationOf(id).nonProduction)).toEqual(offered.map(() => true));
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

describe('the page of the package on npm', () => {
	const page = readFileSync(join(__dirname, '..', '..', 'docs', 'n8n-package.md'), 'utf8');

	it('the npm page shows pictures that exist, from an address npm can reach', () => {
		const pictures = [...page.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, address]) => address!);
		expect(pictures.length).toBeGreaterThan(1);
		for (const address of pictures) {
			const [, file] = /^https:\/\/raw\.githubusercontent\.com\/[\w-]+\/[\w-]+\/main\/(.+)$/.exec(address) ?? [];
			expect([address, existsSync(join(__dirname, '..', '..', file ?? 'nowhere'))]).toEqual([address, true]);
		}
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
