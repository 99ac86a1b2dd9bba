import type { StreamEvent } from '@partner-exchange/core';
import { touches, type Change } from '../../packages/node-red/src/deploys';
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

describe('what a flow was given', () => {
	it('is settled once its time is over, and the position behind it with it', () => {
		const unsettled = settling(1_000);
		unsettled.sent([event('a')], 0);
		unsettled.moved({ at: 'a' }, 0);
		expect(unsettled.settled(999)).toBeUndefined();
		expect(unsettled.settled(1_000)).toEqual({ at: 'a' });
		expect(unsettled.settled(2_000)).toBeUndefined();
	});

	it('never lets a later position be stored before an earlier event is settled', () => {
		const unsettled = settling(1_000);
		for (let at = 0; at < 3_000; at += 10) {
			unsettled.sent([event(String(at))], at);
			unsettled.moved({ at }, at);
			const stored = unsettled.settled(at) as { at: number } | undefined;
			if (stored) expect(at - stored.at).toBeGreaterThanOrEqual(1_000);
		}
	});

	it('can be taken back until then, and holds the position back again', () => {
		const unsettled = settling(1_000);
		unsettled.sent([event('a')], 0);
		unsettled.moved({ at: 'a' }, 0);
		unsettled.sent([event('b')], 900);
		unsettled.moved({ at: 'b' }, 900);
		const taken = unsettled.takeBack(950);
		expect(taken.map(({ eventKey }) => eventKey)).toEqual(['a', 'b']);
		unsettled.sent(taken, 950);
		expect(unsettled.settled(1_500)).toBeUndefined();
		expect(unsettled.settled(1_950)).toEqual({ at: 'b' });
		expect(unsettled.takeBack(1_960)).toEqual([]);
	});

	it('holds no position back when nothing is on its way', () => {
		const unsettled = settling(1_000);
		unsettled.moved({ at: 'start' }, 5);
		expect(unsettled.nextAt()).toBe(5);
		expect(unsettled.settled(5)).toEqual({ at: 'start' });
		expect(unsettled.nextAt()).toBeUndefined();
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
