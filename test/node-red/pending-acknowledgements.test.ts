import type { StreamEvent } from '@partner-exchange/core';
import { pendingAcknowledgements } from '../../packages/node-red/src/delivery/outbox';

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
	it('takes an event and its position as acknowledged once its time is over', () => {
		const pending = pendingAcknowledgements<StreamEvent>(1_000);
		pending.sent([event('a')], 0);
		pending.onCheckpoint({ at: 'a' });
		expect(pending.storable(999)).toBeUndefined();
		expect(pending.storable(1_000)).toEqual({ at: 'a' });
		expect(pending.storable(2_000)).toBeUndefined();
	});

	it('never lets a later position be stored before an earlier event is acknowledged', () => {
		const pending = pendingAcknowledgements<StreamEvent>(1_000);
		for (let at = 0; at < 3_000; at += 10) {
			pending.sent([event(String(at))], at);
			pending.onCheckpoint({ at });
			const stored = pending.storable(at) as { at: number } | undefined;
			if (stored) expect(at - stored.at).toBeGreaterThanOrEqual(1_000);
		}
	});

	it('can send an event again until it is acknowledged, which holds its position back again', () => {
		const pending = pendingAcknowledgements<StreamEvent>(1_000);
		pending.sent([event('a')], 0);
		pending.onCheckpoint({ at: 'a' });
		pending.sent([event('b')], 900);
		pending.onCheckpoint({ at: 'b' });
		expect(keys(pending.resend(950))).toEqual(['a', 'b']);
		expect(pending.storable(1_500)).toBeUndefined();
		expect(pending.storable(1_950)).toEqual({ at: 'b' });
		expect(pending.resend(1_960)).toEqual([]);
	});

	it('holds no position back when no event is pending', () => {
		const pending = pendingAcknowledgements<StreamEvent>(1_000);
		pending.onCheckpoint({ at: 'start' });
		expect(pending.nextDueAt()).toBe(0);
		expect(pending.storable(5)).toEqual({ at: 'start' });
		expect(pending.nextDueAt()).toBe(Infinity);
	});
});

describe('what a flow acknowledges', () => {
	function args(...names: string[]) {
		const pending = pendingAcknowledgements<StreamEvent>(Infinity);
		for (const name of names) {
			pending.sent([event(name)], 0);
			pending.onCheckpoint({ at: name });
		}
		return pending;
	}

	it('takes an event as acknowledged by the flow, and never because time passes', () => {
		const pending = args('a');
		expect(pending.nextDueAt()).toBe(Infinity);
		expect(pending.storable(1e12)).toBeUndefined();
		pending.acknowledge(['a']);
		expect(pending.storable(0)).toEqual({ at: 'a' });
		expect(pending.size()).toBe(0);
	});

	it('advances the position only over events acknowledged without a gap', () => {
		const pending = args('a', 'b', 'c', 'd');
		pending.acknowledge(['d', 'b']);
		expect(pending.storable(0)).toBeUndefined();
		expect([pending.size(), keys(pending.resend(0))]).toEqual([4, ['a', 'c']]);
		pending.acknowledge(['a']);
		expect(pending.storable(0)).toEqual({ at: 'b' });
		pending.acknowledge(['c']);
		expect(pending.storable(0)).toEqual({ at: 'd' });
	});

	it('ignores an acknowledgement that comes twice or names an unknown event', () => {
		const pending = args('a', 'b');
		pending.acknowledge(['a']);
		expect(pending.storable(0)).toEqual({ at: 'a' });
		pending.acknowledge(['a', 'of another day']);
		expect(pending.storable(0)).toBeUndefined();
		expect(keys(pending.resend(0))).toEqual(['b']);
	});

	it('accepts an acknowledgement that comes before the position behind it is known', () => {
		const pending = pendingAcknowledgements<StreamEvent>(Infinity);
		pending.sent([event('a'), event('b')], 0);
		pending.acknowledge(['a']);
		expect(keys(pending.resend(0))).toEqual(['b']);
		pending.acknowledge(['b']);
		expect(pending.storable(0)).toBeUndefined();
		pending.onCheckpoint({ at: 'b' });
		expect(pending.storable(0)).toEqual({ at: 'b' });
	});

	it('takes a flow as overdue when its oldest event is, however many returned since', () => {
		const pending = args('a', 'b', 'c');
		pending.acknowledge(['b']);
		expect([9_999, 10_000].map(pending.overdue)).toEqual([0, 2]);
		pending.resend(10_000);
		expect([19_999, 20_000].map(pending.overdue)).toEqual([0, 2]);
		pending.acknowledge(['a', 'c']);
		pending.storable(20_000);
		expect(pending.overdue(20_000)).toBe(0);
	});
});
