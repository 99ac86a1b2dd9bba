import { listeners, type ListenerField } from '@partner-exchange/core/catalogue';
import type { INodeProperties } from 'n8n-workflow';
import { PartnerExchangeTrigger } from '../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { PartnerExchangeAlertTrigger } from '../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { readSubscription } from '../nodes/shared/trigger/subscription';
import { readWatchForm } from '../nodes/shared/trigger/watch-form';
import {
	acknowledgedBy,
	batchOf,
	secondsOf,
	streamOf,
	watchedBy,
} from '../packages/node-red/src/events/event-settings';
import { eventsRows, alertRows } from '../packages/node-red/src/events/fields';
import type { Settings } from '../packages/node-red/src/host/types';

/** Triggers as workflows and flows of version 0.1.0 saved them: not to be changed when a form is. */
const saved = {
	n8n: {
		stream: {
			topics: ['user.orders', 'trades'],
			pairs: ['USD/NGN'],
			filters: { min_quantity: '100.00', pair_id: 'USD/NGN, EUR/NGN', side: 'sell', status: ['filled', 'rejected'] },
			options: {
				deliverMissed: false,
				connectionNotices: true,
				eventsPerExecution: 5,
				eventsPerSecond: 3,
				executionSeconds: 60,
				pauseSeconds: 4,
				tries: 2,
				whenTriesFail: 'stop',
			},
		},
		transactions: {
			event: 'transaction',
			filters: { currency: { __rl: true, mode: 'list', value: 'NGN' }, rail: 'USDT', status: ['completed'] },
		},
		balances: {
			event: 'balance',
			currency: { __rl: true, mode: 'code', value: 'USD' },
			threshold: '500.00',
			direction: 'above',
			options: { initial: true, hysteresis: '10.00', field: 'total' },
		},
		rates: {
			event: 'rate',
			pair_id: { __rl: true, mode: 'list', value: 'USD/NGN' },
			threshold: '1650.00',
			direction: 'above',
			options: { hysteresis: '5.00', field: 'best_bid' },
		},
	},
	nodeRed: {
		stream: {
			topics: ['user.orders', 'trades'],
			pairs: ['USD/NGN'],
			statuses: ['filled', 'rejected'],
			side: 'sell',
			pair: 'USD/NGN, EUR/NGN',
			minQuantity: '100.00',
			missed: false,
			batch: '10',
			notices: true,
			control: false,
			taken: 'back',
			settle: '0.5',
			store: '',
			lost: 'stop',
		},
		transactions: { event: 'transaction', currency: 'NGN', status_value: 'completed', seconds: '15' },
		balances: {
			event: 'balance',
			currency: 'USD',
			status_value: '',
			threshold: '500.00',
			direction: 'above',
			hysteresis: '10.00',
			initial: true,
			seconds: '',
		},
		rates: {
			event: 'rate',
			pair_id: 'USD/NGN',
			threshold: '500.00',
			hysteresis: '10.00',
			rate: '1650.00',
			rate_field: 'best_bid',
			rate_margin: '5.00',
			direction: 'above',
			initial: false,
			seconds: '5',
		},
	},
};

const stream = {
	topics: ['user.orders', 'trades.USD_NGN'],
	filters: { statuses: ['filled', 'rejected'], sides: ['sell'], pairs: ['USD/NGN', 'EUR/NGN'], minQuantity: '100.00' },
	deliverMissed: false,
};
const balance = { currency: 'USD', amount: '500.00', direction: 'above', hysteresis: '10.00', initial: true };

const rate = {
	...{ pair_id: 'USD/NGN', amount: '1650.00', field: 'best_bid' },
	...{ direction: 'above', hysteresis: '5.00', initial: false },
};

const n8nHost = (parameters: Record<string, unknown>) =>
	({
		getNodeParameter: (name: string, otherwise: unknown) => parameters[name] ?? otherwise,
		getWorkflowSettings: () => ({}),
	}) as never;
const flow = (properties: object) => properties as Settings;

describe('a trigger saved by n8n', () => {
	it('a saved trigger of n8n listens to the same topics, with the same filters and delivery', () => {
		expect(readSubscription(n8nHost(saved.n8n.stream))).toEqual({
			...stream,
			notices: true,
			batchMax: 3,
			eventsPerSecond: 3,
			executionMsMax: 60_000,
			output: 'simple',
			failure: { tries: 2, pauseSeconds: 4, afterwards: 'stop' },
		});
	});

	it('a saved trigger of n8n watches the same transactions', () => {
		expect(readWatchForm(n8nHost(saved.n8n.transactions))).toEqual({
			event: 'transaction',
			filters: { statuses: ['completed'], currencies: ['NGN'], rails: ['USDT'] },
		});
	});

	it('a saved trigger of n8n watches the same balance', () => {
		const threshold = { ...balance, field: 'total' };
		expect(readWatchForm(n8nHost(saved.n8n.balances))).toEqual({ event: 'balance', threshold });
	});

	it('a saved trigger of n8n watches the same rate', () => {
		expect(readWatchForm(n8nHost(saved.n8n.rates))).toEqual({ event: 'rate', threshold: rate });
	});

	it('a saved trigger of n8n finds each of its parameters in the form', () => {
		const named = (properties: INodeProperties[], prefix = ''): string[] =>
			properties.flatMap(({ name, type, options = [] }) => [
				prefix + name,
				...(type === 'collection' ? named(options as INodeProperties[], `${name}.`) : []),
			]);
		const paths = (parameters: object): string[] =>
			Object.entries(parameters).flatMap(([name, value]) => [
				name,
				...(['filters', 'options'].includes(name) ? Object.keys(value as object).map((each) => `${name}.${each}`) : []),
			]);
		const { stream, transactions, balances, rates } = saved.n8n;
		expect(named(new PartnerExchangeTrigger().description.properties)).toEqual(expect.arrayContaining(paths(stream)));
		expect(named(new PartnerExchangeAlertTrigger().description.properties)).toEqual(
			expect.arrayContaining([...paths(transactions), ...paths(balances), ...paths(rates)]),
		);
	});
});

describe('a listening node saved by Node-RED', () => {
	it('a saved trigger of Node-RED listens to the same topics, with the same filters and delivery', () => {
		const settings = flow(saved.nodeRed.stream);
		expect(streamOf(settings)).toEqual(stream);
		expect({ batch: batchOf(settings), taken: acknowledgedBy(settings) }).toEqual({ batch: 10, taken: 'back' });
	});

	it('a saved trigger of Node-RED watches the same transactions', () => {
		const settings = flow(saved.nodeRed.transactions);
		expect(watchedBy(settings)).toEqual({
			event: 'transaction',
			filters: { statuses: ['completed'], currencies: ['NGN'] },
		});
		expect(secondsOf(settings)).toBe(15);
	});

	it('a saved trigger of Node-RED watches the same balance', () => {
		const settings = flow(saved.nodeRed.balances);
		expect(watchedBy(settings)).toEqual({ event: 'balance', threshold: { ...balance, field: 'available' } });
		expect(secondsOf(settings)).toBe(30);
	});

	it('a saved trigger of Node-RED watches a rate, whatever line of a balance was entered before', () => {
		expect(watchedBy(flow(saved.nodeRed.rates))).toEqual({ event: 'rate', threshold: rate });
	});

	it('a saved trigger of Node-RED finds each of its properties in the form', () => {
		const events = Object.values(eventsRows).flatMap((rows) => rows.map(({ property }) => property));
		expect(events).toEqual(expect.arrayContaining(Object.keys(saved.nodeRed.stream)));
		expect(alertRows.map(({ property }) => property)).toEqual(
			expect.arrayContaining(
				Object.keys({ ...saved.nodeRed.transactions, ...saved.nodeRed.balances, ...saved.nodeRed.rates }),
			),
		);
	});
});

describe('the forms of both hosts', () => {
	const inNodeRed = new Set<ListenerField>(
		[...Object.values(eventsRows).flat(), ...alertRows].map(({ field }) => field),
	);
	const inN8n = JSON.stringify(
		[PartnerExchangeTrigger, PartnerExchangeAlertTrigger].map((type) => new type().description),
	);
	const fields = Object.entries(listeners).flatMap(([listener, { fields, filters, options }]) =>
		Object.entries<ListenerField>({ ...fields, ...filters, ...options }).map(
			([name, field]) => [`${listener}: ${name}`, field] as const,
		),
	);

	it.each(fields)('both hosts offer what the catalogue says a trigger takes: %s', (name, field) => {
		if (name !== 'transactions: currency') expect(inNodeRed).toContain(field);
		expect(inN8n).toContain(JSON.stringify(field.help).slice(1, -1));
	});
});
