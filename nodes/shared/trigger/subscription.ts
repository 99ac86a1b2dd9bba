import { ExchangeError, type Consumer, type EventFilters, type StreamNotice } from '@partner-exchange/core';
import { exactTopics, orderStatuses, topics, type TopicId } from '@partner-exchange/core/catalogue';
import type { INodeProperties, INodePropertyOptions, ITriggerFunctions } from 'n8n-workflow';
import { deliveryChoices, readDelivery, type DeliveryParameters } from '../delivery/delivery-form';
import { isGiven, listIn } from '../form/parameters';
import { choicesOf } from '../form/property';

/** The prefix of private topics on the wire. */
const PRIVATE = 'user.';
const perPair = (Object.keys(topics) as TopicId[]).filter((topic) => topics[topic].perPair);

/** Topics, filters and delivery of a trigger. */
export const subscriptionForm = (): INodeProperties[] => [
	{
		displayName: 'Trigger On',
		name: 'topics',
		type: 'multiOptions',
		required: true,
		options: topicChoices(),
		default: ['user.fills'],
		description: 'What to listen to; all triggers of one account share one connection',
	},
	{
		displayName: 'Pair Names or IDs',
		name: 'pairs',
		type: 'multiOptions',
		// Hidden while all chosen topics are private and need no pair; shown for an expression, whose value is unknown.
		displayOptions: { hide: { topics: [{ _cnd: { startsWith: PRIVATE } }] } },
		typeOptions: { loadOptionsMethod: 'loadPairs' },
		default: [],
		description:
			'Pairs whose public trades or order books to listen to; order updates and fills need none. All Pairs is live only: what is missed while the connection is lost is not read back. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	},
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		options: filterChoices(),
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: deliveryChoices(),
	},
];

/** The names of the chosen topics as the form shows them. n8n evaluates this as an expression. */
export const topicsInWords = `={{ [$parameter["topics"]].flat().map((topic) => (${JSON.stringify(
	Object.fromEntries((Object.keys(topics) as TopicId[]).map((topic) => [topic, topics[topic].label])),
)})[topic] ?? topic).join(", ") }}`;

const topicChoices = (): INodePropertyOptions[] =>
	(Object.keys(topics) as TopicId[]).map((value) => ({
		name: topics[value].label,
		value,
		description: topics[value].help,
	}));

const filterChoices = (): INodeProperties[] => [
	{
		displayName: 'Minimum Quantity',
		name: 'min_quantity',
		type: 'string',
		default: '',
		placeholder: 'e.g. 1000.00',
		description: 'Only events of at least this quantity',
	},
	{
		displayName: 'Pair',
		name: 'pair_id',
		type: 'string',
		default: '',
		placeholder: 'e.g. USD/NGN',
		description: 'Only events of this pair; several are separated by commas',
	},
	{
		displayName: 'Side',
		name: 'side',
		type: 'options',
		options: choicesOf(['buy', 'sell']),
		default: 'buy',
		description: 'Only events of this side',
	},
	{
		displayName: 'Status',
		name: 'status',
		type: 'multiOptions',
		options: choicesOf(Object.keys(orderStatuses)),
		default: [],
		description: 'Only order updates with one of these statuses',
		displayOptions: { show: { '/topics': ['user.orders'] } },
	},
];

/** The parsed form of a trigger. */
export interface TriggerParameters extends DeliveryParameters, Required<Pick<Consumer, 'topics' | 'filters'>> {}

export function readSubscription(
	host: Pick<ITriggerFunctions, 'getNodeParameter' | 'getWorkflowSettings'>,
): TriggerParameters {
	const filters = host.getNodeParameter('filters', {}) as Record<string, unknown>;
	const options = host.getNodeParameter('options', {}) as Record<string, unknown>;
	const chosen = host.getNodeParameter('topics', []) as TopicId[];
	const pairs = listIn(host.getNodeParameter('pairs', []));
	if (chosen.length === 0) throw invalid('topics', 'No events are chosen', 'Choose at least one kind of event');
	if (pairs.length === 0 && chosen.some((topic) => perPair.includes(topic))) {
		throw invalid('pairs', 'No pair is chosen for public trades or order books', 'Choose a pair such as USD/NGN');
	}
	return {
		topics: exactTopics(chosen, pairs),
		filters: filtersIn(filters),
		...readDelivery(options, host.getWorkflowSettings().executionTimeout),
	};
}

function filtersIn({ status, side, pair_id: pair, min_quantity: minimum }: Record<string, unknown>): EventFilters {
	return {
		...(listIn(status).length > 0 ? { statuses: listIn(status) } : {}),
		...(side ? { sides: [String(side)] } : {}),
		...(listIn(pair).length > 0 ? { pairs: listIn(pair) } : {}),
		...(isGiven(minimum) ? { minQuantity: minimum as string } : {}),
	};
}

const invalid = (field: string, what: string, advice: string): ExchangeError =>
	new ExchangeError('invalid_input', { field, what, advice });

/** A notice as an item: the shape of an event, under a topic name that no event has. */
export const noticeItem = (notice: StreamNotice, ts: string) => ({
	json: { topic: 'connection', seq: null, epoch: null, ts, data: { ...notice }, delivery: 'live', eventKey: null },
});
