import type { OrderFacts } from '../../../packages/core/src/stream/topics/event';
import { after, differs, isNews } from '../../../packages/core/src/stream/topics/orders';

const order = (facts: Partial<OrderFacts> = {}): OrderFacts => ({
	id: 'o',
	status: 'partially_filled',
	filled: '10',
	...facts,
});

describe('an update of an order', () => {
	it.each<[string, Partial<OrderFacts>, Partial<OrderFacts>, boolean]>([
		['the same again', {}, {}, false],
		['more filled', {}, { filled: '10.5' }, true],
		['less filled', {}, { filled: '9' }, false],
		['less filled with a later status', { status: 'accepted' }, { filled: '9' }, false],
		['a quantity where none was told', { filled: undefined }, {}, true],
		['a quantity where none was told of an end', { filled: undefined, status: 'filled' }, { status: 'filled' }, false],
		['no quantity where one was told', {}, { filled: undefined }, false],
		['no quantity, and none was told', { filled: undefined }, { filled: undefined }, false],
		['a later status', { status: 'accepted' }, {}, true],
		['an earlier status', {}, { status: 'accepted' }, false],
		['an earlier status and more filled', {}, { status: 'accepted', filled: '11' }, false],
		['a status never heard of', {}, { status: 'paused' }, true],
		['a status of one never heard of', { status: 'paused' }, { status: 'accepted' }, true],
		['an early status of one never heard of', { status: 'paused' }, { status: 'pending' }, false],
		['an end with less filled', {}, { status: 'cancelled', filled: '5' }, true],
		['another end', { status: 'cancelled' }, { status: 'filled' }, false],
		['a status after an end', { status: 'cancelled' }, {}, false],
		['more filled of an end', { status: 'cancelled' }, { status: 'cancelled', filled: '11' }, true],
		['less filled of an end', { status: 'cancelled' }, { status: 'cancelled', filled: '9' }, false],
		['a successor', { status: 'cancelled' }, { status: 'cancelled', replacedBy: 'p' }, true],
		['the same successor', { replacedBy: 'p' }, { replacedBy: 'p' }, false],
		['another successor', { replacedBy: 'p' }, { replacedBy: 'q' }, true],
		['no successor any more', { replacedBy: 'p' }, {}, false],
	])('an order update is new that tells %s', (_, previous, update, says) => {
		expect(isNews(order(update), order(previous))).toBe(says);
	});

	it('an order update is new if the order is unknown', () => {
		expect(isNews(order(), undefined)).toBe(true);
	});

	it.each<[string, Partial<OrderFacts>, Partial<OrderFacts>, boolean]>([
		['the same', {}, {}, false],
		['another status', {}, { status: 'accepted' }, true],
		['less filled', {}, { filled: '9' }, true],
		['nothing of what was filled', {}, { filled: undefined }, false],
		['what was filled, which was not known', { filled: undefined }, {}, false],
		['other terms', { terms: '1x2' }, { terms: '1x3' }, true],
		['the same terms', { terms: '1x2' }, { terms: '1x2' }, false],
		['no terms', { terms: '1x2' }, {}, false],
		['terms, which were not known', {}, { terms: '1x2' }, false],
		['a successor', {}, { replacedBy: 'p' }, true],
		['no successor', { replacedBy: 'p' }, {}, false],
	])('an order update that tells %s differs or does not', (_, previous, update, isOther) => {
		expect(differs(order(update), order(previous))).toBe(isOther);
	});

	it('an order update keeps what it does not repeat but the time, and counts corrections', () => {
		const previous = order({ replacedBy: 'p', updatedAt: 5, terms: '1x2', corrections: 1 });
		expect(after(order({ filled: undefined, status: 'filled' }), previous, true)).toEqual({
			...previous,
			status: 'filled',
			updatedAt: undefined,
			corrections: 2,
		});
		const all = order({ filled: '11', replacedBy: 'q', updatedAt: 6, terms: '1x3' });
		expect(after(all, previous, false)).toEqual({ ...all, corrections: 1 });
		expect(after(all, undefined, false)).toEqual({ ...all, corrections: 0 });
	});
});
