import { ExchangeError } from '@partner-exchange/core';
import type { TopicInput, TopicRules } from '../../../packages/core/src/stream/sync/effects';
import { isReady } from '../../../packages/core/src/stream/sync/subscribers';
import { at, book, chance, confirmed, dueIn, joined, records, someone, topicAfter } from './step-stage';
import { BASELINE_AGAIN_MS } from '../../../packages/core/src/stream/limits';

const [subscriber, other] = [someone(), someone()];
const failed = (code: 'forbidden' | 'unreachable'): TopicInput => ({
	...{ type: 'baseline_failed', subscriber, error: new ExchangeError(code, { what: 'It cannot be read' }) },
});
const readOf = (whom = subscriber): TopicInput => ({ type: 'baseline_read', subscriber: whom, isLate: false });
const phaseAfter = (...inputs: TopicInput[]) =>
	topicAfter(records, joined(subscriber), ...inputs).state.subscribers.get(subscriber)!;

describe('a subscriber of a topic', () => {
	it.each<[string, TopicRules, TopicInput[], TopicInput, string[]]>([
		[
			'has its baseline read, whether or not the topic is confirmed',
			records,
			[],
			joined(subscriber),
			['read_baseline'],
		],
		[
			'gets the position of a topic that is confirmed',
			records,
			[confirmed({ head: at(4) })],
			joined(subscriber),
			['read_baseline', 'place'],
		],
		[
			'gets a replay of its own where it returns',
			records,
			[confirmed({ head: at(4) })],
			joined(subscriber, { isReturning: true, needsBaseline: false }),
			['subscribe'],
		],
		[
			'begins a book with a snapshot of its own',
			book,
			[confirmed()],
			joined(subscriber, { needsBaseline: false }),
			['subscribe'],
		],
		[
			'has a topic subscribed again whose pending replay begins behind its position',
			records,
			[confirmed({ head: at(9) }), { type: 'lost', heardAt: 0 }, { type: 'requested' }],
			joined(someone(at(4)), { needsBaseline: false }),
			['subscribe'],
		],
		[
			'has a refused topic subscribed again',
			records,
			[{ type: 'refused', error: new ExchangeError('refused', { what: 'It is not there' }) }],
			joined(subscriber, { needsBaseline: false }),
			['subscribe'],
		],
		[
			'gets a replay of what its queue dropped',
			records,
			[joined(subscriber), confirmed()],
			{ type: 'rejoined', subscriber },
			['subscribe'],
		],
		[
			'gets subscriber snapshot of a book, however often it asks',
			book,
			[joined(subscriber), confirmed(), { type: 'rejoined', subscriber }],
			{ type: 'rejoined', subscriber },
			[],
		],
		['asks for nothing once it left', records, [confirmed()], { type: 'rejoined', subscriber }, []],
	])('a subscriber of a topic %s', (_, rules, before, input, effects) => {
		expect(topicAfter(rules, ...before).effects(input)).toEqual(effects);
	});

	it('a subscriber is ready once its topic is confirmed and its baseline read, or its key may not read', () => {
		const isReadyAfter = (...inputs: TopicInput[]) => isReady(phaseAfter(...inputs));
		expect([isReadyAfter(), isReadyAfter(confirmed()), isReadyAfter(readOf())]).toEqual([false, false, false]);
		expect([isReadyAfter(readOf(other), confirmed()), isReadyAfter(readOf(), confirmed())]).toEqual([false, true]);
		expect([isReadyAfter(failed('unreachable'), confirmed()), isReadyAfter(failed('forbidden'), confirmed())]).toEqual([
			false,
			true,
		]);
	});

	it('a baseline is read once, and again only after it failed', () => {
		const { effects, state } = topicAfter(records, joined(subscriber), joined(other), confirmed(), readOf(other));
		expect(effects({ type: 'woken' })).toEqual(['read']);
		effects({ type: 'read_nothing', chance });
		state.schedule.due = [];
		effects(failed('unreachable'));
		expect(dueIn(state)).toEqual([BASELINE_AGAIN_MS]);
		expect(effects({ type: 'woken' }, BASELINE_AGAIN_MS)).toEqual(['read_baseline', 'read']);
		effects(readOf());
		effects({ type: 'read_nothing', chance }, BASELINE_AGAIN_MS);
		state.schedule.due = [1];
		expect(effects({ type: 'woken' }, 2 * BASELINE_AGAIN_MS)).toEqual(['read']);
	});

	it('a confirmation serves those who waited for it, and nobody else', () => {
		const { take } = topicAfter(
			records,
			joined(subscriber),
			confirmed({ head: at(4) }),
			joined(other, { isReturning: true }),
		);
		expect(take(confirmed({ head: at(4) }))).toContainEqual({ do: 'serve', newcomers: [other] });
		take({ type: 'rejoined', subscriber });
		expect(take(confirmed({ head: at(4) }))).toContainEqual({ do: 'serve', newcomers: [subscriber] });
	});

	it('no replay is for a subscriber that joined anew, until the connection was lost', () => {
		const isNewcomer = (...inputs: TopicInput[]) => phaseAfter(...inputs).isNewcomer;
		expect([isNewcomer(), isNewcomer(confirmed())]).toEqual([true, true]);
		expect([isNewcomer({ type: 'lost', heardAt: 0 }), isNewcomer(confirmed(), { type: 'lost', heardAt: 0 })]).toEqual([
			true,
			false,
		]);
		expect(phaseAfter(joined(subscriber, { isReturning: true })).isNewcomer).toBe(false);
	});
});
