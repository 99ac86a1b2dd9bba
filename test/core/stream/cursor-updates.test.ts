import { merged } from '../../../packages/core/src/stream/delivery/cursor-update';

const event = (key: string) => ({ key });

describe('what becomes true of one event after the other', () => {
	const updates = () =>
		[
			{ position: { epoch: 'e1', seq: 1 }, watermark: 5, acknowledged: new Map([['a', event('a')]]) },
			{ position: { epoch: 'e1', seq: 2 }, watermark: 6, acknowledged: new Map([['b', event('b')]]) },
		] as const;

	it('is the later one where both say something, and either where one does', () => {
		const [first, second] = updates();
		expect(merged(first, {})).toMatchObject({ position: { seq: 1 }, watermark: 5 });
		expect([...merged(first, {}).acknowledged!.keys()]).toEqual(['a']);
		const both = merged(first, second);
		expect(both).toMatchObject({ position: second.position, watermark: 6 });
		expect([...both.acknowledged!.keys()]).toEqual(['a', 'b']);
		expect([...merged({}, second).acknowledged!.keys()]).toEqual(['b']);
		expect(merged(undefined, second)).toEqual(second);
	});

	it('is collected without a copy of what waits already, and leaves what it is given as it is', () => {
		const given = { acknowledged: new Map([['a', event('a')]]), covered: [{ after: 0, upTo: 1 }] };
		const waiting = merged(undefined, given);
		const { acknowledged, covered } = waiting;
		for (let count = 0; count < 100; count += 1) {
			const key = `event ${count}`;
			const after = 10 * count + 10;
			merged(waiting, { acknowledged: new Map([[key, event(key)]]), covered: [{ after, upTo: after + 1 }] });
		}
		expect([acknowledged!.size, covered!.length]).toEqual([101, 101]);
		expect([given.acknowledged.size, given.covered]).toEqual([1, [{ after: 0, upTo: 1 }]]);
	});

	it('is forgotten where the service counts anew, and that is not', () => {
		const anew = { run: {} };
		expect(merged({ covered: [{ after: 0, upTo: 9 }] }, anew)).toEqual(anew);
		expect(merged(anew, { covered: [{ after: -1, upTo: 2 }] })).toMatchObject({
			run: {},
			covered: [{ after: -1, upTo: 2 }],
		});
	});

	it.each<[string, [number, number][], [number, number][], [number, number][]]>([
		['meet', [[0, 3]], [[3, 5]], [[0, 5]]],
		['overlap', [[0, 3]], [[2, 5]], [[0, 5]]],
		['hold each other', [[2, 3]], [[0, 5]], [[0, 5]]],
		[
			'lie apart',
			[[0, 3]],
			[[4, 5]],
			[
				[0, 3],
				[4, 5],
			],
		],
		[
			'lie apart the other way round',
			[[4, 5]],
			[[0, 3]],
			[
				[4, 5],
				[0, 3],
			],
		],
		['meet from behind', [[4, 5]], [[0, 4]], [[0, 5]]],
		[
			'are several',
			[
				[0, 1],
				[5, 6],
			],
			[
				[6, 8],
				[10, 11],
			],
			[
				[0, 1],
				[5, 8],
				[10, 11],
			],
		],
		['are none on one side', [], [[6, 8]], [[6, 8]]],
		['are none on the other side', [[6, 8]], [], [[6, 8]]],
	])('joins stretches that %s', (_, earlier, later, joined) => {
		const stretches = (given: [number, number][]) => given.map(([after, upTo]) => ({ after, upTo }));
		expect(merged({ covered: stretches(earlier) }, { covered: stretches(later) }).covered).toEqual(stretches(joined));
	});
});
