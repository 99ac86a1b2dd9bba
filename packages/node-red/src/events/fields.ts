/**
 * The fields of the two listening nodes: those of the catalogue, and what only Node-RED asks. Forms, words and readers
 * are made from them. Pure.
 */
import { readField, type StoredFields } from '@partner-exchange/core/adapters';
import {
	listeners,
	watchable,
	type ListenerField,
	type ListenerFields,
	type WatchableId,
} from '@partner-exchange/core/catalogue';
import type { Settings } from '../host/types';

/** One field of a form. */
export interface ListenerRow {
	/** The property of the node that stores it. */
	property: string;
	field: ListenerField;
	/** The property and values beside which it is shown, such as `taken=time`. */
	when?: string;
}

/** A form takes no larger batch, because one message that holds everything would be too much for a flow. */
const BATCH_MAX = 1_000;
/** A form takes no longer pause than a day, because somebody waits for the alert. */
const LOOK_SECONDS_MAX = 86_400;

/** How events become messages, and when they count as taken. */
const deliveryFields = {
	batch: {
		kind: 'integer',
		label: 'Events per message',
		help: '1 sends each event on its own; more sends arrays of up to that many, and never waits to fill one',
		min: 1,
		max: BATCH_MAX,
		default: 1,
	},
	notices: {
		kind: 'boolean',
		label: 'Send notices through a second output: gaps, fills that do not add up, changes of the connection',
		help: '',
		default: true,
	},
	control: {
		kind: 'boolean',
		label: 'Take control messages (adds an input and an output)',
		help: 'A message with start, stop, change or show in msg.action, and topics and pairs in msg.payload, tells the node what to listen to; the answer leaves on the last output',
		default: false,
	},
	taken: {
		kind: 'choice',
		label: 'An event is taken',
		help: 'Until it is taken, an event is sent again after a deploy or a crash. Completed means that every node it went through has reported so; a Function node that goes on after it returned must call node.done(). The second way gives the node an input to wire the flow back into',
		values: ['complete', 'back', 'time'],
		named: {
			complete: { label: 'when the flow has completed it' },
			back: { label: 'when its message comes back' },
			time: { label: 'after a time (what takes longer can be lost)' },
		},
		default: 'complete',
	},
	settle: {
		kind: 'decimal',
		label: 'Seconds per event',
		help: 'Seconds the flow needs to finish with an event. What lies in a queue for longer is lost when a deploy or a crash comes',
		default: '1',
	},
} as const satisfies ListenerFields;

const checkpointFields: ListenerFields = {
	store: {
		kind: 'choice',
		label: 'Checkpoint kept in',
		help: 'Where the place in the stream is kept, so that nothing is missed after a restart',
		values: [''],
		named: { '': { label: 'a file of its own (safe in a crash)' } },
		default: '',
	},
	lost: {
		kind: 'choice',
		label: 'If the checkpoint is lost',
		help: 'A disk can damage the stored checkpoint. What happened since it was stored is skipped only if you choose so here',
		values: ['stop', 'now'],
		named: { stop: { label: 'say so and wait for me' }, now: { label: 'say so and begin with new events' } },
		default: 'stop',
	},
};

const { stream } = listeners;

const alertFields = {
	event: {
		kind: 'choice',
		label: stream.fields.topics.label,
		help: 'What to watch',
		values: Object.keys(watchable),
		named: watchable,
		default: 'transaction',
	},
	seconds: {
		kind: 'integer',
		label: 'Every (seconds)',
		help: 'Seconds between two looks',
		min: 1,
		max: LOOK_SECONDS_MAX,
		default: 30,
	},
} as const satisfies ListenerFields;

/** Saved flows have these names for fields of the catalogue. */
const eventsProperties = { status: 'statuses', pair_id: 'pair', min_quantity: 'minQuantity', deliverMissed: 'missed' };
/**
 * The editor keeps the name `status` for itself. One property serves several things to watch only where it means the same
 * of each: the line of a rate is no line of a balance.
 */
const alertProperties = {
	balance: {},
	rate: { threshold: 'rate', field: 'rate_field', hysteresis: 'rate_margin' },
	transaction: { status: 'status_value' },
} as const satisfies Record<WatchableId, Readonly<Record<string, string>>>;

const rowsOf = (
	fields: ListenerFields,
	properties: Readonly<Record<string, string>> = {},
	when?: string,
): ListenerRow[] =>
	Object.entries(fields).map(([name, field]) => ({
		property: properties[name] ?? name,
		field,
		when: field.about ? `topics=${field.about.join('|')}` : when,
	}));

/** The form of the events node, part by part. */
export const eventsRows = {
	chosen: rowsOf({ ...stream.fields, ...stream.options }, eventsProperties),
	filters: rowsOf(stream.filters, eventsProperties),
	delivery: [...rowsOf(deliveryFields), ...rowsOf(checkpointFields)].map((row) =>
		row.property === 'settle' ? { ...row, when: 'taken=time' } : row,
	),
};

const watchRows = (Object.keys(watchable) as WatchableId[]).flatMap((event) => {
	const { fields, filters, options } = watchable[event];
	return rowsOf({ ...fields, ...filters, ...options }, alertProperties[event]).map((row) => ({ ...row, event }));
});

/** The form of the alerts node. A field that several things to watch have is one row, shown beside each of them. */
export const alertRows: ListenerRow[] = [
	...rowsOf({ event: alertFields.event }),
	...[...new Set(watchRows.map(({ property }) => property))].map((property): ListenerRow => {
		const [first, ...others] = watchRows.filter((row) => row.property === property);
		const { field, event } = first!;
		return { property, field, when: `event=${[event, ...others.map((other) => other.event)].join('|')}` };
	}),
	...rowsOf({ seconds: alertFields.seconds }),
	...rowsOf(checkpointFields),
];

/** What a node stores, by the names of the catalogue. A text field that was emptied is not set. */
const storedBy = (settings: Settings, properties: Readonly<Record<string, string>>): StoredFields =>
	Object.fromEntries(
		Object.entries({ ...settings, ...renamed(settings, properties) }).filter(([, value]) => value !== ''),
	);

const renamed = (settings: Settings, properties: Readonly<Record<string, string>>): StoredFields =>
	Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, settings[property]]));

export const eventsStored = (settings: Settings): StoredFields => storedBy(settings, eventsProperties);
export const alertStored = (event: unknown, settings: Settings): StoredFields =>
	storedBy(settings, Object.entries(alertProperties).find(([id]) => id === event)?.[1] ?? {});

/** One of the fields that only Node-RED has. */
export const readOwn = (name: 'batch' | 'seconds', settings: Settings): number =>
	Number(
		readField(name, { ...deliveryFields, ...alertFields }[name], settings[name] === '' ? undefined : settings[name]),
	);
