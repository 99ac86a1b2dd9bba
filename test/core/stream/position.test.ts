import {
	oldestPosition,
	positionOf,
	positionsIn,
	readEpoch,
	resumeField,
	sameEpoch,
} from '../../../packages/core/src/stream/position';

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
		[{ epoch: 'e'.repeat(200), seq: 1 }, at(1, 'e'.repeat(200))],
	])('reads a position from %j', (message, position) => {
		expect(positionOf(message)).toEqual(position);
	});

	it.each([
		[{ epoch: 'e1', seq: -1 }],
		[{ epoch: 'e1', seq: 1.5 }],
		[{ epoch: 'e1', seq: 2 ** 53 }],
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

describe('the field that resumes', () => {
	it('resumes each topic by its place and nothing more', () => {
		const positions = new Map([['user.fills', { ...at(3), extra: true }]]);
		expect(resumeField(positions, {})).toEqual({ resume: { 'user.fills': at(3) } });
		expect(resumeField(positions, { names: { 'stream.resume': 'since' } })).toEqual({ since: { 'user.fills': at(3) } });
	});

	it('leaves the resume field out without a place, or if the account wants none', () => {
		expect(resumeField(new Map(), {})).toEqual({});
		expect(resumeField(new Map([['user.fills', at(3)]]), { names: { 'stream.resume': '' } })).toEqual({});
	});
});

describe('the oldest place of several', () => {
	it.each<[string, Parameters<typeof oldestPosition>, unknown]>([
		['is the present one where all others are later', [at(5), [at(7), at(6)]], at(5)],
		['is the earliest of the same epoch', [at(5), [at(4), at(2), at(3)]], at(2)],
		['is none of another epoch', [at(5), [at(1, 'e0'), at(4)]], at(4)],
		['is the first that anybody knows where none is known', [undefined, [undefined, at(9), at(8), at(1, 'e0')]], at(8)],
		['is none where nobody knows any', [undefined, [undefined]], undefined],
	])('the oldest place of several: %s', (_, [current, others], oldest) => {
		expect(oldestPosition(current, others)).toEqual(oldest);
	});
});
