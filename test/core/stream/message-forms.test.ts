import {
	pingMessage,
	readMessage,
	subscribeMessage,
	unsubscribeMessage,
} from '../../../packages/core/src/stream/connection/messages';
import { positionOf, positionsIn, readEpoch, sameEpoch } from '../../../packages/core/src/stream/position';

const read = (message: unknown) => readMessage(JSON.stringify(message));

const error = (fields: object) => read({ type: 'error', ...fields });

describe('what the service says', () => {
	it.each<[string, object, object]>([
		['a pong', { type: 'pong', more: 1 }, { type: 'pong' }],
		[
			'that topics are not subscribed any more',
			{ type: 'unsubscribed', topics: ['a'] },
			{ type: 'unsubscribed', topics: ['a'] },
		],
		[
			'that a command was taken',
			{ type: 'command_ack', request_id: 'r', action: 'order_create', data: { id: 'o' } },
			{ type: 'command_ack', requestId: 'r', action: 'order_create', data: { id: 'o' } },
		],
		[
			'that with no more',
			{ type: 'command_ack', data: 'done' },
			{ type: 'command_ack', requestId: '', action: '', data: {} },
		],
		[
			'that a command was refused',
			{ type: 'command_error', request_id: 'r', code: 'CONFLICT', message: 'no' },
			{ type: 'command_error', requestId: 'r', code: 'CONFLICT', text: 'no' },
		],
		[
			'that with the reason in a record',
			{ type: 'command_error', request_id: 'r', error: { code: 'CONFLICT', message: 'no' } },
			{ type: 'command_error', requestId: 'r', code: 'CONFLICT', text: 'no' },
		],
		['something new', { type: 'greeting' }, { type: 'ignored' }],
		['nothing', {}, { type: 'ignored' }],
	])('reads what the service says as %s', (_, message, frame) => {
		expect(read(message)).toEqual(frame);
	});

	it('ignores a message that is no record, no JSON, or too long', () => {
		for (const text of ['[]', '"data"', 'null', '', '{', `{"type":"pong","x":"${'x'.repeat(1024 * 1024)}"}`])
			expect(readMessage(text)).toEqual({ type: 'ignored' });
		const longest = `{"type":"pong","x":"${'x'.repeat(1024 * 1024 - 22)}"}`;
		expect([longest.length, readMessage(longest)]).toEqual([1024 * 1024, { type: 'pong' }]);
	});

	it('reads a message as data if it names a topic and has a payload, whatever that is', () => {
		const text = JSON.stringify({ type: 'data', topic: 't', seq: 1, epoch: 'e', ts: 'now', data: null });
		expect(readMessage(text)).toEqual({
			...{ type: 'data', topic: 't', position: { epoch: 'e', seq: 1 }, ts: 'now', data: null, length: text.length },
		});
		expect(read({ type: 'data', topic: 't', data: 1 })).toMatchObject({ position: undefined, ts: null });
		for (const odd of [
			{ topic: 't' },
			{ topic: '', data: 1 },
			{ topic: 5, data: 1 },
			{ data: 1 },
			{ topic: ['t'], data: 1 },
		])
			expect(read({ type: 'data', ...odd })).toEqual({ type: 'ignored' });
	});
});

describe('which topics a message is about', () => {
	it.each<[object, string[]]>([
		[{ topics: ['a', 'b'] }, ['a', 'b']],
		[{ topics: [{ topic: 'a' }, {}, null, 'b', ''] }, ['a', 'b']],
		[{ topics: { a: {}, b: {} } }, ['a', 'b']],
		[{ topic: 'a' }, ['a']],
		[{ topic: '' }, []],
		[{ topic: { topic: 'a' } }, []],
		[{ topic: 5 }, []],
		[{ topics: 'a' }, []],
		[{ topics: [], topic: 'a' }, []],
		[{}, []],
	])('reads the topics of a message from %j', (fields, topics) => {
		expect(read({ type: 'subscribed', ...fields })).toMatchObject({ type: 'subscribed', topics });
		expect(error(fields)).toMatchObject({ topics });
	});

	it.each<[object, object]>([
		[{ snapshots: { a: 1 } }, { a: 1 }],
		[{ snapshots: [{ topic: 'a', data: 1 }, { topic: 'b', snapshot: 2 }, 'c', null] }, { a: 1, b: 2 }],
		[{ snapshot: { a: 1 } }, { a: 1 }],
		[{ snapshot: true }, {}],
		[{ snapshots: 'none', snapshot: { a: 1 } }, { a: 1 }],
		[{}, {}],
	])('reads the topics of a message with the snapshots %j', (fields, snapshots) => {
		expect(read({ type: 'subscribed', ...fields })).toMatchObject({ snapshots });
	});
});

describe('what an error is about', () => {
	it.each<[string, object]>([
		['limited', { code: 'rate_limited' }],
		['limited', { code: 'Rate-Limit' }],
		['limited', { code: ' TOO.MANY-REQUESTS ' }],
		['limited', { code: 429 }],
		['limited', { error: 'rate_limit_exceeded' }],
		['limited', { error: { code: 'rate_limited' } }],
		['limited', { message: 'Rate limit reached' }],
		['limited', { message: 'The ratelimit is reached' }],
		['limited', { details: { text: 'Too many messages' } }],
		['key', { code: 'unauthorized' }],
		['key', { reason: 'invalid_api_key' }],
		['key', { error: { status: 401 } }],
		['key', { error: { type: 'authentication_failed' } }],
		['key', { code: 'odd', error: { reason: 'invalid_token' } }],
		['forbidden', { code: 'FORBIDDEN' }],
		['forbidden', { status: 403 }],
		['other', { message: 'The resume position is gone' }],
		['other', { code: 'toString' }],
		['other', { code: 'unauthorized_topic' }],
		['other', { message: 'This key is unauthorized here' }],
		['other', { numbers: [1], code: 'x' }],
		['other', { message: `${'x'.repeat(20_000)} too many` }],
		['other', {}],
	])('reads an error as %s from %j', (kind, fields) => {
		expect(error(fields)).toMatchObject({ type: 'error', kind });
	});

	it('reads an error as a request for patience if its type says so', () => {
		expect(read({ type: 'rate_limited', code: 'forbidden' })).toMatchObject({
			type: 'error',
			kind: 'limited',
			code: 'forbidden',
		});
	});

	it.each<[object, string, string]>([
		[{ code: 'c', message: 'm', error: 'e', reason: 'r' }, 'c', 'm'],
		[{ code: 'c', error: 'e', reason: 'r' }, 'c', 'e'],
		[{ code: 'c', reason: 'r' }, 'c', 'r'],
		[{ code: 'c' }, 'c', 'c'],
		[{ code: 'outer', error: { code: 'inner', message: 'm' }, message: 'o' }, 'inner', 'm'],
		[{ code: 'outer', error: { message: 'm' } }, 'outer', 'm'],
		[{}, '', ''],
	])('reads from the error %j the code %j and the text %j', (fields, code, text) => {
		expect(error(fields)).toMatchObject({ code, text });
	});
});

describe('what is said to the service', () => {
	it('writes a message to the service as one line of JSON', () => {
		expect(JSON.parse(subscribeMessage(['a'], true, { resume: 1 }))).toEqual({
			...{ type: 'subscribe', topics: ['a'], snapshot: true, resume: 1 },
		});
		expect(JSON.parse(unsubscribeMessage(['a']))).toEqual({ type: 'unsubscribe', topics: ['a'] });
		expect(JSON.parse(pingMessage())).toEqual({ type: 'ping' });
	});
});

const at = (seq: number, epoch: string | number = 'e1') => ({ epoch, seq });

describe('a place on the stream', () => {
	it.each<[unknown, unknown]>([
		[{ epoch: 'e1', seq: 0 }, at(0)],
		[{ epoch: 7, seq: 12 }, at(12, 7)],
		[{ epoch: 'e1', seq: '12' }, at(12)],
		[{ epoch: 'e1', seq: '9007199254740991' }, at(9_007_199_254_740_991)],
		[
			{ epoch: 'e1', seq: '9007199254740993' },
			{ epoch: 'e1', seq: 9_007_199_254_740_993n },
		],
		[
			{ epoch: 'e1', seq: 9_007_199_254_740_994 },
			{ epoch: 'e1', seq: 9_007_199_254_740_994n },
		],
		[{ epoch: 'e'.repeat(200), seq: 1 }, at(1, 'e'.repeat(200))],
	])('reads a position from %j', (message, position) => {
		expect(positionOf(message)).toEqual(position);
	});

	it.each([
		[{ epoch: 'e1', seq: -1 }],
		[{ epoch: 'e1', seq: 1.5 }],
		[{ epoch: 'e1', seq: 1e21 }],
		[{ epoch: 'e1', seq: ' 12' }],
		[{ epoch: 'e1', seq: '12x' }],
		[{ epoch: 'e1', seq: '1e3' }],
		[{ epoch: 'e1', seq: '' }],
		[{ epoch: 'e1', seq: '9'.repeat(61) }],
		[{ epoch: 'e1', seq: [1] }],
		[{ epoch: 'e1' }],
		[{ epoch: '', seq: 1 }],
		[{ epoch: 'e'.repeat(201), seq: 1 }],
		[{ epoch: Number.NaN, seq: 1 }],
		[{ epoch: null, seq: 1 }],
		[{ epoch: ['e1'], seq: 1 }],
		[{ seq: 1 }],
		[null],
		['e1:1'],
		[[at(1)]],
	])('reads no position from %j', (message) => {
		expect(positionOf(message)).toBeUndefined();
	});

	it('reads the epoch of a position alike however it is written', () => {
		expect(sameEpoch(1, '1')).toBe(true);
		expect(sameEpoch('e1', 'e1')).toBe(true);
		expect(sameEpoch('e1', 'e2')).toBe(false);
		expect(readEpoch(Number.POSITIVE_INFINITY)).toBeNull();
		expect(readEpoch(0)).toBe(0);
	});
});

describe('the places a confirmation tells', () => {
	it.each(['positions', 'resume', 'topics', 'streams'])(
		'reads the positions of a confirmation from %s, by name or as a list',
		(field) => {
			const stored = { 'user.fills': at(3) };
			expect({ ...positionsIn({ [field]: stored }) }).toEqual(stored);
			expect({ ...positionsIn({ [field]: [{ topic: 'user.fills', ...at(3) }] }) }).toEqual(stored);
		},
	);

	it('reads no position from entries without a topic or a place, and survives any name', () => {
		const list = ['user.fills', { ...at(3) }, { topic: 5, ...at(3) }, { topic: 'user.orders' }, null];
		expect({ ...positionsIn({ topics: list, positions: 'none' }) }).toEqual({});
		const odd = positionsIn({ positions: JSON.parse('{"__proto__":{"epoch":"e1","seq":3}}') as unknown });
		expect(Object.keys(odd)).toEqual(['__proto__']);
	});
});
