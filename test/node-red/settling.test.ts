import type { StreamEvent } from '@partner-exchange/core';
import { touches, type Change } from '../../packages/node-red/src/deploys';
import { keysOf } from '../../packages/node-red/src/event-settings';
import { settling } from '../../packages/node-red/src/settling';

const event = (eventKey: string): StreamEvent => ({
	topic: 'user.fills',
	seq: 1,
	epoch: 'e',
	ts: null,
	data: {},
	delivery: 'live',
	eventKey,
});

const keys = (events: StreamEvent[]): string[] => events.map(({ eventKey }) => eventKey);

describe('what a flow was given', () => {
	it('is settled once its time is over, and the position behind it with it', () => {
		const unsettled = settling(1_000);
		unsettled.sent([event('a')], 0);
		unsettled.moved({ at: 'a' });
		expect(unsettled.settled(999)).toBeUndefined();
		expect(unsettled.settled(1_000)).toEqual({ at: 'a' });
		expect(unsettled.settled(2_000)).toBeUndefined();
	});

	it('never lets a later position be stored before an earlier event is settled', () => {
		const unsettled = settling(1_000);
		for (let at = 0; at < 3_000; at += 10) {
			unsettled.sent([event(String(at))], at);
			unsettled.moved({ at });
			const stored = unsettled.settled(at) as { at: number } | undefined;
			if (stored) expect(at - stored.at).toBeGreaterThanOrEqual(1_000);
		}
	});

	it('can be taken back until then, and holds the position back again', () => {
		const unsettled = settling(1_000);
		unsettled.sent([event('a')], 0);
		unsettled.moved({ at: 'a' });
		unsettled.sent([event('b')], 900);
		unsettled.moved({ at: 'b' });
		expect(keys(unsettled.takeBack(950))).toEqual(['a', 'b']);
		expect(unsettled.settled(1_500)).toBeUndefined();
		expect(unsettled.settled(1_950)).toEqual({ at: 'b' });
		expect(unsettled.takeBack(1_960)).toEqual([]);
	});

	it('holds no position back when nothing is on its way', () => {
		const unsettled = settling(1_000);
		unsettled.moved({ at: 'start' });
		expect(unsettled.nextAt()).toBe(0);
		expect(unsettled.settled(5)).toEqual({ at: 'start' });
		expect(unsettled.nextAt()).toBe(Infinity);
	});
});

describe('what a flow acknowledges', () => {
	function given(...names: string[]) {
		const unsettled = settling(Infinity);
		for (const name of names) {
			unsettled.sent([event(name)], 0);
			unsettled.moved({ at: name });
		}
		return unsettled;
	}

	it('is settled then, and never because time passes', () => {
		const unsettled = given('a');
		expect(unsettled.nextAt()).toBe(Infinity);
		expect(unsettled.settled(1e12)).toBeUndefined();
		unsettled.acknowledged(['a']);
		expect(unsettled.settled(0)).toEqual({ at: 'a' });
		expect(unsettled.span()).toBe(0);
	});

	it('lets the position pass only what is acknowledged without a gap', () => {
		const unsettled = given('a', 'b', 'c', 'd');
		unsettled.acknowledged(['d', 'b']);
		expect(unsettled.settled(0)).toBeUndefined();
		expect([unsettled.span(), keys(unsettled.takeBack(0))]).toEqual([4, ['a', 'c']]);
		unsettled.acknowledged(['a']);
		expect(unsettled.settled(0)).toEqual({ at: 'b' });
		unsettled.acknowledged(['c']);
		expect(unsettled.settled(0)).toEqual({ at: 'd' });
	});

	it('changes nothing when it is said twice, or of something unknown', () => {
		const unsettled = given('a', 'b');
		unsettled.acknowledged(['a']);
		expect(unsettled.settled(0)).toEqual({ at: 'a' });
		unsettled.acknowledged(['a', 'of another day']);
		expect(unsettled.settled(0)).toBeUndefined();
		expect(keys(unsettled.takeBack(0))).toEqual(['b']);
	});

	it('may come before the position behind it is known', () => {
		const unsettled = settling(Infinity);
		unsettled.sent([event('a'), event('b')], 0);
		unsettled.acknowledged(['a']);
		expect(keys(unsettled.takeBack(0))).toEqual(['b']);
		unsettled.acknowledged(['b']);
		expect(unsettled.settled(0)).toBeUndefined();
		unsettled.moved({ at: 'b' });
		expect(unsettled.settled(0)).toEqual({ at: 'b' });
	});

	it('is late when the oldest is, however much came back since', () => {
		const unsettled = given('a', 'b', 'c');
		unsettled.acknowledged(['b']);
		expect([9_999, 10_000].map(unsettled.late)).toEqual([0, 2]);
		unsettled.takeBack(10_000);
		expect([19_999, 20_000].map(unsettled.late)).toEqual([0, 2]);
		unsettled.acknowledged(['a', 'c']);
		unsettled.settled(20_000);
		expect(unsettled.late(20_000)).toBe(0);
	});
});

describe('a message that came back', () => {
	it.each<[string, unknown, string[]]>([
		['one event', event('a'), ['a']],
		['a batch', [event('a'), event('b')], ['a', 'b']],
		['batches that were joined', [[event('a')], [event('b'), event('c')]], ['a', 'b', 'c']],
		['nothing that is an event', [null, 'a', { eventKey: 1 }], []],
		['nothing', undefined, []],
	])('acknowledges %s', (_, carried, expected) => {
		expect(keysOf({ event: carried })).toEqual(expected);
	});
});

describe('a deploy', () => {
	const place = { id: 'events', z: 'tab' };
	const partial = (diff: Change['diff'], flows: { id: string; type: string }[] = []): Change => ({
		type: 'nodes',
		diff,
		config: { flows },
	});

	it.each<[string, Change, boolean]>([
		['of everything', { type: 'full' }, true],
		['that changes a config node everybody uses', partial({ globalConfigChanged: true }), true],
		['of nodes elsewhere', partial({ changed: ['other', 'other-tab'] }), false],
		['of the node itself', partial({ changed: ['events'] }), true],
		['of what it is wired to', partial({ changed: ['next'], linked: ['events'] }), true],
		['of its tab', partial({ flowChanged: ['tab'] }), true],
		['that wires it anew', partial({ rewired: ['events'] }), true],
		[
			'that involves a link, whose other end no wire tells',
			partial({ changed: ['a-link'] }, [{ id: 'a-link', type: 'link in' }]),
			true,
		],
		['that involves a subflow', partial({ changed: ['a-subflow'] }, [{ id: 'a-subflow', type: 'subflow' }]), true],
	])('%s touches the flow of a node: %#', (_, change, touched) => {
		expect(touches(change, place)).toBe(touched);
	});
});
