import { ExchangeError, type Item, type Ports } from '@partner-exchange/core';
import { resolveOrder } from '../../../packages/core/src/orders/resolve';
import type { OrderList } from '../../../packages/core/src/orders/lookup/list';
import { quickClock } from '../../support/wire';

const mine: Item = { id: 'o1', client_order_id: 'mine' };
const nothing = { orders: [], facts: { rows: 1, showsFinal: true, isUnfiltered: false } };
const busy = (retryAfterMs?: number) => new ExchangeError('rate_limited', { what: 'simulated', retryAfterMs });

/** Looks up an order in a list with these responses in turn; the last one repeats. */
async function resolved(answers: unknown[], accepted: Record<string, string> = {}, signal?: AbortSignal) {
	const clock = quickClock();
	const looks: unknown[] = [];
	const list: OrderList = {
		look: ({ isThorough, filter, matches }) => {
			expect([mine, { client_order_id: 'theirs' }].map(matches)).toEqual([true, false]);
			const answer = answers[Math.min(looks.length, answers.length - 1)];
			looks.push({ isThorough, filter });
			return (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)) as never;
		},
	};
	const ports = { clock, random: () => 0.999 } as unknown as Ports;
	const end = await resolveOrder(
		{ client_order_id: 'mine', ...accepted },
		{ list, ports, context: { signal }, settleMs: 15_000 },
	).then(
		(answer) => ({ answer, error: undefined }),
		(error: ExchangeError) => ({ answer: undefined, error }),
	);
	return { ...end, looks, waited: clock.waited.map((pause) => Math.round(pause)) };
}

describe('whether an order exists', () => {
	it('is told at once where the list shows it', async () => {
		expect(await resolved([{ orders: [mine] }])).toEqual({
			answer: { outcome: 'accepted', client_order_id: 'mine', order: mine },
			...{ error: undefined, looks: [{ isThorough: false, filter: {} }], waited: [] },
		});
	});

	it('is looked for in its pair first, and in everything a while later', async () => {
		const { answer, looks, waited } = await resolved([nothing], { pair_id: 'USD/NGN' });
		expect(answer).toEqual({ outcome: 'not_found', client_order_id: 'mine', order: null });
		expect(looks).toEqual([
			{ isThorough: false, filter: { pair_id: 'USD/NGN' } },
			{ isThorough: true, filter: {} },
		]);
		expect(waited).toEqual([15_000]);
	});

	it('is told where it shows only then, with every other order under its name', async () => {
		const { answer } = await resolved([
			nothing,
			{ orders: [mine, { ...mine, id: 'o2' }, { client_order_id: 'mine' }] },
		]);
		expect(answer).toEqual({
			...{ outcome: 'accepted', client_order_id: 'mine', order: mine },
			duplicate_order_ids: ['o2'],
		});
	});

	it('is not told where not everything could be seen', async () => {
		const gap = { ...nothing, facts: { ...nothing.facts, gap: 'the list is too long' } };
		const { error } = await resolved([nothing, gap]);
		expect(error).toMatchObject({ code: 'limit_reached', operation: 'Resolve Order' });
		expect(error?.what).toContain('whether there is such an order: the list is too long');
		expect((await resolved([gap, nothing])).answer).toMatchObject({ outcome: 'not_found' });
	});

	it('is asked four times where a page cannot be read, ever less often', async () => {
		const { error, waited, looks } = await resolved([busy()]);
		expect({ code: error?.code, waited, looks: looks.length }).toEqual({
			...{ code: 'rate_limited', waited: [999, 1998, 3996], looks: 4 },
		});
		expect((await resolved([busy(3_000), { orders: [mine] }])).waited).toEqual([3_000]);
		expect((await resolved([busy(), { orders: [mine] }])).answer).toMatchObject({ outcome: 'accepted' });
	});

	it('is not asked again where another reading would not change that', async () => {
		const denied = new ExchangeError('forbidden', { what: 'simulated' });
		const { error, looks } = await resolved([denied]);
		expect([error, looks.length]).toEqual([denied, 1]);
		expect(await resolved([new TypeError('a fault')])).toMatchObject({ error: { message: 'a fault' } });
	});

	it('is not asked once the call is stopped', async () => {
		const stopped = await resolved([nothing], {}, AbortSignal.abort());
		expect(stopped).toMatchObject({ error: { code: 'aborted', operation: 'Resolve Order' }, looks: [] });
	});
});
