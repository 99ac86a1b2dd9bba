/** Hostile input from outside: shapes that once broke parsers, mixed with random ones. */
import fc from 'fast-check';

const LONG = 50_000;

/** Texts that have a meaning to some parser, or are too long for it. */
const oddText = fc.oneof(
	fc.constantFrom(
		...[
			'',
			' ',
			'\u0000',
			'\r\n',
			'\ufeff',
			'..',
			'../..',
			'%2e%2e',
			'${HOME}',
			'{{ $env.X }}',
			'__proto__',
			'constructor',
		],
		...[
			'NaN',
			'Infinity',
			'-0',
			'1e999',
			'0x10',
			'１',
			'1,5',
			'+1',
			'<html>',
			'<script>',
			'toString',
			'hasOwnProperty',
			'\ud800',
		],
		...[
			'success',
			'error',
			'data',
			'filled',
			'user.orders',
			'user.fills',
			'trades.USD_NGN',
			'orderbook.USD_NGN',
			'USD/NGN',
		],
	),
	fc.string({ unit: 'binary' }),
	fc.constantFrom('0', '9', 'a', '/', ' ', '[', '\\', '"').map((sign) => sign.repeat(LONG)),
	fc.constant(`0.${'0'.repeat(LONG)}1`),
);

const oddNumber = fc.oneof(
	fc.double(),
	fc.constantFrom(-1, 0, 2 ** 53, 2 ** 60, 1e21, 1.5, -0, Number.MAX_VALUE),
	fc.integer(),
);

/** Field names that the readers look for, so that hostile values are read. */
const knownName = fc.constantFrom(
	...[
		'type',
		'topic',
		'topics',
		'data',
		'epoch',
		'seq',
		'ts',
		'snapshot',
		'snapshots',
		'positions',
		'request_id',
		'action',
		'code',
	],
	...[
		'message',
		'error',
		'errors',
		'reason',
		'status',
		'id',
		'order_id',
		'order',
		'orders',
		'fills',
		'trades',
		'filled_quantity',
	],
	...[
		'quantity',
		'price',
		'created_at',
		'sequence',
		'replace',
		'bids',
		'asks',
		'markets',
		'balances',
		'count',
		'transactions',
	],
);

/** Any JSON value, preferring hostile names and values. */
export const hostileValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4, depthSize: 'small' },
		fc.oneof(oddText, oddNumber, fc.boolean(), fc.constant(null)),
		fc.array(tie('value'), { maxLength: 4 }),
		fc.dictionary(fc.oneof(knownName, oddText), tie('value'), { maxKeys: 6 }),
	),
})).value;

/** Nested lists and records, sometimes with only the closing brackets. */
const nested = fc
	.tuple(fc.constantFrom('[]', '{}', ']'), fc.integer({ min: 60, max: 20_000 }))
	.map(([kind, levels]) => {
		if (kind === ']') return ']'.repeat(levels);
		return kind === '[]' ? '['.repeat(levels) + ']'.repeat(levels) : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
	});

/** JSON, nearly JSON, and text that is not JSON. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
	{ weight: 6, arbitrary: hostileValue.map((value) => JSON.stringify(value)) },
	{
		weight: 2,
		arbitrary: fc
			.tuple(hostileValue, fc.nat(2_000), oddText)
			.map(([value, at, inside]) => JSON.stringify(value).slice(0, at) + inside),
	},
	{ weight: 1, arbitrary: nested },
	{ weight: 1, arbitrary: oddText },
);

/** A stream message of a known type with hostile parts. */
export const hostileFrame: fc.Arbitrary<string> = fc.oneof(
	hostileText,
	fc
		.tuple(
			fc.constantFrom(
				'data',
				'subscribed',
				'unsubscribed',
				'pong',
				'error',
				'rate_limited',
				'command_ack',
				'command_error',
			),
			fc.dictionary(knownName, hostileValue, { maxKeys: 6 }),
		)
		.map(([type, rest]) => JSON.stringify({ ...rest, type })),
	nested.map((inner) => `{"type":"error","error":${inner}}`),
);

export const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc.dictionary(
	fc.constantFrom('retry-after', 'content-type', 'x-request-id', 'location', 'content-length', 'date'),
	oddText,
);
