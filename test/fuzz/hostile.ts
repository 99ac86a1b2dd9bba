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
		...'success error data filled user.orders user.fills trades.USD_NGN orderbook.USD_NGN USD/NGN'.split(' '),
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

/** JSON that throws where it is converted to a text or a number, and names that code of its own would call. */
export const unconvertibles: readonly unknown[] = [
	'{"toString":0}',
	'{"toString":0,"valueOf":0}',
	'{"toString":null,"length":1}',
	'[{"toString":1}]',
	'{"hasOwnProperty":1,"constructor":0}',
	'{"toJSON":1,"then":1}',
	'{"__proto__":null}',
].map((json): unknown => JSON.parse(json));
const unconvertible = fc.constantFrom(...unconvertibles);

/** Field names that the readers look for, so that hostile values are read. */
export const knownNames: readonly string[] = [
	...'type topic topics data epoch seq ts snapshot snapshots positions request_id action code'.split(' '),
	...'message error errors reason status id order_id order orders fills trades filled_quantity'.split(' '),
	...'quantity price created_at sequence replace bids asks markets balances count transactions timestamp original_order_id new_order_id client_order_id pair_id side candles recipients'.split(
		' ',
	),
];
const knownName = fc.constantFrom(...knownNames);

/** Any JSON value, preferring hostile names and values. */
export const hostileValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4, depthSize: 'small' },
		fc.oneof(oddText, oddNumber, unconvertible, fc.boolean(), fc.constant(null)),
		fc.array(tie('value'), { maxLength: 4 }),
		fc.dictionary(fc.oneof(knownName, oddText), tie('value'), { maxKeys: 6 }),
	),
})).value;

const failing = (): never => {
	throw new RangeError('a value of the flow does not let itself be read');
};

/** A record in which every field that is read may be missing, sound, or impossible to convert. */
export const hostileRecord: fc.Arbitrary<Record<string, unknown>> = fc
	.array(
		fc.tuple(
			knownName,
			fc.oneof(
				{ weight: 3, arbitrary: unconvertible },
				{
					weight: 2,
					arbitrary: fc.constantFrom('o-1', 'open', '10', 'USD/NGN', '2026-01-05T09:00:00Z', 7, null, true),
				},
				{ weight: 1, arbitrary: hostileValue },
			),
		),
		{ minLength: 5, maxLength: 40 },
	)
	.map((fields) => Object.fromEntries(fields));

/** What only code hands over: no JSON is like it. */
export const oddInputs: readonly unknown[] = [
	...[Symbol('x'), 1n, Number.NaN, () => 'x', Object.create(null), new Date(Number.NaN), new Map([['a', 1]])],
	...[{ toString: failing }, { valueOf: failing, toString: failing }, { [Symbol.toPrimitive]: failing }],
	...[{ toJSON: failing }, Object.defineProperty({}, 'id', { get: failing, enumerable: true })],
	...[Object.defineProperty([], 'length', { value: 3 }), new Proxy({}, { get: failing, ownKeys: failing })],
];

/** Anything a flow may hand over. */
export const hostileInput: fc.Arbitrary<unknown> = fc.oneof(hostileValue, fc.constantFrom(...oddInputs));

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
