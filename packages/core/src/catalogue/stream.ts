import { operation } from './operation';
import type { Output } from './shape';

/** Counts of the messages of one topic, or of all topics. */
const counts = {
	received: 'integer',
	delivered: { live: 'integer', replayed: 'integer', reconciled: 'integer' },
	waiting: 'integer',
	filtered: 'integer',
	duplicates: 'integer',
	gaps: 'integer',
} as const;
const failure = { last_error: 'text?', last_error_at: 'timestamp?' } as const;

const totals = {
	connections: 'integer',
	topics: 'integer',
	subscribers: 'integer',
	...counts,
	/** Reads of all topics that wait for others of the account. */
	reads_waiting: 'integer',
	incomplete_fills: 'integer',
	open_intents: 'integer',
} as const;

const connection = {
	access: 'text',
	state: 'text',
	since: 'timestamp',
	attempts: 'integer',
	topics: 'integer',
	...failure,
} as const;

const topic = {
	topic: 'text',
	state: 'text',
	subscribers: 'integer',
	epoch: 'text?',
	seq: 'integer?',
	last_message_at: 'timestamp?',
	lag_ms: 'integer?',
	...counts,
	readings: {
		done: 'integer',
		refused: 'integer',
		failed: 'integer',
		last_at: 'timestamp?',
		next_at: 'timestamp?',
		place: 'integer?',
	},
	...failure,
} as const;

/** The status of an account's stream in this process. Holds no keys and no contents of events. */
const status = {
	running: 'boolean',
	text: 'text',
	at: 'timestamp',
	totals,
	connections: [connection],
	topics: [topic],
	incomplete_fills: [
		{ order_id: 'text', expected: 'decimal', counted: 'decimal', since: 'timestamp', told: 'boolean' },
	],
	open_intents: [{ idempotency_key: 'text', state: 'text' }],
} as const;

/** The answer of `stream.status`: the account's connections, topics and open intents as this process sees them. */
export type ProcessStatus = Output<typeof status>;
/** The status without the facts that do not come from the stream. */
export type StreamStatus = Omit<ProcessStatus, 'running' | 'text' | 'open_intents'>;
/** The status of one connection: its state, since when, its attempts, its topics and its last error. */
export type ConnectionStatus = StreamStatus['connections'][number];
/** The status of one topic: its position, its counts, its reads over REST, and how far it lags in milliseconds. */
export type TopicStatus = StreamStatus['topics'][number];

export const stream = {
	'stream.status': operation({
		label: 'Stream Status',
		action: 'Get stream status',
		help: 'Show connections, topics, delays, gaps and open order writes of the account as this process sees them; nothing is sent',
		run: { via: 'process' },
		access: 'public',
		input: {},
		output: status,
		palette: 'stream-status',
	}),
};
