import fc from 'fast-check';
import { orderPolicy, orderMachine } from '@partner-exchange/core/testing';
import { newIntent, type AttemptResult, type Report } from '../../../packages/core/src/orders/machine/state';
import {
	answered,
	attemptsMax,
	deadlineMs,
	error,
	match,
	lateArrivalMs,
	looked,
	machine,
	nothing,
	outcomeOf,
	play,
	respond,
	sent,
	conclusiveMs,
	unreadable,
} from './machine-stage';

// A fixed seed, so that a rare failure belongs to the change that introduced it.
fc.configureGlobal({ seed: 1 });

describe('the machine of an intent', () => {
	it('checks, records and sends an intent in this order', () => {
		expect(play({}, sent[0]!).effect).toEqual({ do: 'check' });
		expect(play({}, ...sent.slice(0, 2)).effect).toEqual({ do: 'record' });
		expect(play({}, ...sent).effect).toEqual({ do: 'send' });
	});

	it('sends nothing where a check refuses the intent', () => {
		expect(outcomeOf(play({}, sent[0]!, { type: 'rejected', error: error('invalid_input') }))).toBe('refused');
	});

	it('ends unknown and sends nothing where a check refuses what an earlier run may have sent', () => {
		const failing = { type: 'rejected', error: error('not_available') } as const;
		const begun = { earlier: true, lastAttemptAt: 1_000_000 - lateArrivalMs + 1 };
		expect(play(begun, { type: 'started' }, nothing, { type: 'checked' }, failing).effect).toMatchObject({
			do: 'end',
			outcome: { is: 'unknown', unseen: true },
		});
	});

	it('looks up a business key first and sends only if nothing is there', () => {
		expect(play({ lookupFirst: true }, { type: 'started' }).effect).toEqual({ do: 'lookup' });
		expect(outcomeOf(play({ lookupFirst: true }, { type: 'started' }, match))).toBe('accepted');
		expect(play({ lookupFirst: true }, { type: 'started' }, nothing).effect).toEqual({ do: 'check' });
		expect(outcomeOf(play({ lookupFirst: true }, { type: 'started' }, unreadable))).toBe('pause');
	});

	it.each([
		['unsent', 'pause'],
		['limited', 'pause'],
		['unknown', 'lookup'],
		['conflict', 'lookup'],
		['refused', 'refused'],
	] as const)('answers an attempt that is %s with %s', (proof, next) => {
		expect(outcomeOf(play({}, ...sent, answered(proof)))).toBe(next);
	});

	it.each([
		['unavailable', 0, 'pause'],
		['rate_limited', 1, 'refused'],
		['rate_limited', 0, 'refused'],
		['unreachable', 1, 'pause'],
		['unreachable', 0, 'refused'],
	] as const)('answers a lookup that fails as the write did (%s, %s sent) with %s', (code, count, next) => {
		const failed = looked({ is: 'failed', error: error(code), lasting: false });
		expect(outcomeOf(play({ sendsNoMore: 'refused', sent: count, lookups: 1, error: error(code) }, failed))).toBe(next);
	});

	it('takes too many requests for no refusal where lookups failed otherwise before', () => {
		const failed = looked({ is: 'failed', error: error('rate_limited'), lasting: false });
		const begun = { sendsNoMore: 'refused', sent: 1, error: error('rate_limited') } as const;
		const told = [1, 2, 3].map((lookups) => outcomeOf(play({ ...begun, lookups }, failed)));
		expect(told).toEqual(['refused', 'pause', 'pause']);
	});

	it('ends an intent in doubt by evidence alone', () => {
		const doubt = [...sent, answered('unknown')];
		expect(outcomeOf(play({}, ...doubt, nothing))).toBe('pause');
		expect(outcomeOf(play({}, ...doubt, unreadable))).toBe('pause');
		expect(outcomeOf(play({}, ...doubt, match))).toBe('accepted');
		const again = [...doubt, nothing, [conclusiveMs, { type: 'elapsed' }] as [number, Report], nothing];
		expect(outcomeOf(play({}, ...again))).toBe('send');
	});

	it.each([
		['refused', 'refused', 'pause'],
		['refused', 'forbidden', 'pause'],
		['limited', 'rate_limited', 'pause'],
		['limited', 'rate_limited', 'unknown'],
		['unsent', 'unreachable', 'pause'],
		['unsent', 'unreachable', 'unknown'],
		['conflict', 'conflict', 'lookup'],
	] as const)('keeps an attempt in doubt when the next one is %s (%s) and %s follows', (proof, code, next) => {
		const later: [number, Report] = [conclusiveMs, { type: 'elapsed' }];
		const sending = [...sent, answered('unknown'), nothing, later, nothing];
		expect(play({}, ...sending).effect).toEqual({ do: 'send' });
		const after = play({}, ...sending, answered(proof, code, next === 'unknown' ? deadlineMs + 1 : undefined));
		expect(outcomeOf(after)).toBe(next);
		if (next === 'unknown') return;
		expect(after.state.ambiguous).toBe(true);
		expect(outcomeOf(machine.step(after.state, { type: 'stopped', at: 0, chance: 0 }))).toBe('unknown');
	});

	it('sends again only after a lookup that began late enough to count', () => {
		const pausing = play({}, ...sent, answered('unknown'), nothing);
		expect(pausing.effect).toEqual({ do: 'pause', delayMs: expect.any(Number) as number });
		const early = machine.step(pausing.state, { type: 'elapsed', at: 1_000_000 + conclusiveMs - 1, chance: 0 });
		expect(outcomeOf(machine.step(early.state, { ...nothing, at: 1_000_000 + conclusiveMs, chance: 0 }))).toBe('pause');
		const late = machine.step(pausing.state, { type: 'elapsed', at: 1_000_000 + conclusiveMs, chance: 0 });
		expect(machine.step(late.state, { ...nothing, at: 1_000_000 + conclusiveMs, chance: 0 }).effect).toEqual({
			do: 'send',
		});
	});

	it('never sends an intent that it only resolves', () => {
		const boot = play({ earlier: true, sendsNoMore: 'looks_only' }, { type: 'started' }, [conclusiveMs * 2, nothing]);
		expect(outcomeOf(boot)).toBe('pause');
	});

	it('keeps an earlier run in doubt until none of its requests can arrive any more', () => {
		const run = (afterMs: number) =>
			play(
				{ earlier: true, lastAttemptAt: 1_000_000 - afterMs },
				{ type: 'started' },
				nothing,
				{ type: 'checked' },
				{ type: 'recorded' },
				answered('refused', 'refused'),
			);
		expect(outcomeOf(run(lateArrivalMs))).toBe('refused');
		expect(outcomeOf(run(lateArrivalMs - 1))).toBe('pause');
	});

	it('waits as long as the service asks, or ends where that is too long', () => {
		expect(play({}, ...sent, answered('limited', 'rate_limited', 7_000)).effect).toEqual({
			do: 'pause',
			delayMs: 7_000,
		});
		expect(play({}, ...sent, answered('limited', 'rate_limited', deadlineMs + 1)).effect).toEqual({ do: 'lookup' });
	});

	it('looks an order up at once when the stream names it', () => {
		const pausing = play({}, ...sent, answered('unknown'), nothing, { type: 'woken' });
		expect(pausing.effect).toEqual({ do: 'lookup' });
	});

	it('ends unknown when stopped in doubt, and stopped when nothing was sent', () => {
		expect(outcomeOf(play({}, { type: 'started' }, { type: 'stopped' }))).toBe('stopped');
		expect(outcomeOf(play({}, ...sent, answered('unknown'), { type: 'stopped' }))).toBe('unknown');
		expect(outcomeOf(play({}, ...sent, answered('conflict'), { type: 'stopped' }))).toBe('unknown');
	});

	it('ends within its deadline and its attempts, whatever happens', () => {
		const anything = fc.oneof(
			fc
				.constantFrom<AttemptResult['proof'][]>(['unsent'], ['limited'], ['unknown'], ['conflict'], ['refused'])
				.map(([proof]) => ({ proof })),
			fc.constantFrom('nothing', 'partly', 'failure').map((shows) => ({ shows })),
		);
		fc.assert(
			fc.property(fc.array(anything, { minLength: 400, maxLength: 400 }), fc.boolean(), (events, earlier) => {
				let at = 1_000_000;
				let { state, effect } = machine.step(newIntent(at, { earlier }), { type: 'started', at, chance: 0.9 });
				let sends = 0;
				for (const event of events) {
					if (effect.do === 'end') break;
					const report = respond(effect, event);
					at += effect.do === 'pause' ? effect.delayMs : 10;
					if (effect.do === 'send') sends += 1;
					({ state, effect } = machine.step(state, { ...report, at, chance: 0.9 }));
				}
				expect(effect.do).toBe('end');
				expect(sends).toBeLessThanOrEqual(attemptsMax);
				expect(at).toBeLessThanOrEqual(1_000_000 + deadlineMs + conclusiveMs + 1_000);
			}),
		);
	});

	it('believes a refusal of the key only after a lookup, and in a shared name only after a late one', () => {
		const denied = answered('refused', 'forbidden');
		expect(outcomeOf(play({}, ...sent, denied))).toBe('lookup');
		expect(outcomeOf(play({}, ...sent, denied, match))).toBe('accepted');
		expect(outcomeOf(play({}, ...sent, denied, nothing))).toBe('refused');
		expect(outcomeOf(play({ lookupFirst: true }, ...sent, denied, nothing))).toBe('pause');
		expect(
			outcomeOf(play({ lookupFirst: true }, ...sent, denied, nothing, [conclusiveMs, { type: 'elapsed' }], nothing)),
		).toBe('refused');
		expect(outcomeOf(play({ lookupFirst: true }, ...sent, answered('refused', 'refused')))).toBe('lookup');
	});

	it('believes a refusal of the key where the lookup was refused too', () => {
		const unauthorized = looked({ is: 'failed', error: error('unauthorized'), lasting: true });
		expect(outcomeOf(play({}, ...sent, answered('refused', 'unauthorized'), unauthorized))).toBe('refused');
		expect(outcomeOf(play({}, ...sent, answered('unknown'), unauthorized))).toBe('unknown');
	});

	it('believes a refusal by an unknown word only after a late lookup', () => {
		const strange: Report = {
			type: 'attempted',
			attempt: { proof: 'refused', error: error('refused'), isUnknown: true },
		};
		expect(outcomeOf(play({}, ...sent, strange))).toBe('lookup');
		expect(outcomeOf(play({}, ...sent, strange, nothing))).toBe('pause');
		expect(outcomeOf(play({}, ...sent, strange, nothing, [conclusiveMs, { type: 'elapsed' }], nothing))).toBe(
			'refused',
		);
	});

	it('reports a rate limit only after a lookup that began late enough to count', () => {
		const limited = answered('limited', 'rate_limited', deadlineMs + 1);
		expect(outcomeOf(play({}, ...sent, limited, nothing))).toBe('pause');
		expect(outcomeOf(play({}, ...sent, limited, nothing, [conclusiveMs, { type: 'elapsed' }], nothing))).toBe(
			'refused',
		);
		expect(outcomeOf(play({}, ...sent, limited, nothing, [conclusiveMs, { type: 'elapsed' }], match))).toBe('accepted');
	});

	it('waits before it believes that another order stands in its place', () => {
		const replaced = looked({ is: 'conflict', error: error('conflict'), certain: true });
		expect(outcomeOf(play({}, ...sent, answered('unknown'), replaced))).toBe('pause');
		expect(
			outcomeOf(play({}, ...sent, answered('unknown'), replaced, [conclusiveMs, { type: 'elapsed' }], replaced)),
		).toBe('refused');
	});

	it('refuses nothing while the order in its place may be the intended one', () => {
		const doubtful = looked({ is: 'conflict', error: error('conflict'), certain: false, mayBeDone: true });
		const shared = play(
			{ lookupFirst: true },
			{ type: 'started' },
			doubtful,
			[conclusiveMs, { type: 'elapsed' }],
			doubtful,
		);
		expect(shared.effect).toMatchObject({ do: 'end', outcome: { is: 'unknown', unseen: true } });
		expect(outcomeOf(play({}, ...sent, answered('refused', 'forbidden'), doubtful))).toBe('pause');
		expect(outcomeOf(play({}, ...sent, answered('unknown'), [deadlineMs, doubtful]))).toBe('unknown');
		expect(outcomeOf(play({}, ...sent, answered('conflict'), doubtful))).toBe('refused');
	});

	it('sends nothing where the first lookup could not see everything', () => {
		const partly = looked({ is: 'absent', complete: false });
		expect(play({ lookupFirst: true }, { type: 'started' }, partly).effect).toMatchObject({
			do: 'end',
			outcome: { is: 'unknown', unseen: true },
		});
	});

	it('pauses a minimum even where the service asks for no pause', () => {
		const hasty = looked({ is: 'failed', error: error('rate_limited', 0), lasting: false });
		for (const report of [answered('limited', 'rate_limited', 0), hasty]) {
			const { effect } = machine.step(play({}, ...sent, answered('unknown')).state, { ...report, at: 1, chance: 0 });
			expect(effect.do === 'pause' && effect.delayMs).toBeGreaterThanOrEqual(machine.policy.pauseMinMs);
		}
	});

	it('ends unknown when stopped after the service was reached', () => {
		expect(outcomeOf(play({}, ...sent, answered('refused', 'forbidden'), { type: 'stopped' }))).toBe('unknown');
		expect(outcomeOf(play({}, ...sent, answered('limited', 'rate_limited'), { type: 'stopped' }))).toBe('unknown');
		expect(outcomeOf(play({}, ...sent, answered('unsent', 'unreachable'), { type: 'stopped' }))).toBe('stopped');
	});

	it('takes other limits from its policy', () => {
		const hasty = orderMachine(orderPolicy({ attemptsMax: 1 }));
		const sending = play({}, ...sent).state;
		const ended = hasty.step(sending, { ...answered('unsent', 'unreachable'), at: 1_000_000, chance: 0 });
		expect(outcomeOf(ended)).toBe('lookup');
		const unreachable = looked({ is: 'failed', error: error('unreachable'), lasting: false });
		expect(outcomeOf(hasty.step(ended.state, { ...unreachable, at: 1_000_000, chance: 0 }))).toBe('refused');
		expect(outcomeOf(hasty.step(ended.state, { ...match, at: 1_000_000, chance: 0 }))).toBe('accepted');
	});
});
