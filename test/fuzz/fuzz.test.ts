import { sandboxTargets, withSandbox } from './sandbox';
import { fuzz } from './suite';
import { targets } from './targets';
import { operationIds } from '@partner-exchange/core/catalogue';
import { inputOf } from '../support/inputs';
import { drawnInputs, endsProperly } from './calls';
import { knownNames, oddInputs, unconvertibles } from './hostile';

/** A fixed seed, so that a finding belongs to the change that introduced it; `npm run fuzz` covers more. */
const SEED = 1;

/** The number of runs of the cheapest target. */
const RUNS = 200;

describe('whatever comes from outside', () => {
	it.each(targets.map((target) => [target.name, target] as const))(
		'%s take any input, or refuse it with the one kind of error',
		async (_, target) => {
			expect(await fuzz(target, SEED, Math.max(5, Math.round(RUNS / target.cost)))).toBeUndefined();
		},
	);

	it.each(sandboxTargets.map((target) => [target.name, target] as const))(
		'%s take any input, or refuse it with the one kind of error',
		async (_, target) => {
			await withSandbox(async () => {
				expect(await fuzz(target, SEED, Math.max(5, Math.round(RUNS / target.cost)))).toBeUndefined();
			});
		},
	);
});

const order = { id: 'o-1', order_id: 'o-1', status: 'open', pair_id: 'USD/NGN', created_at: '2026-01-05T09:00:00Z' };

describe('a call ends with an answer or with the one error there is', () => {
	it.each(operationIds)('ends %s with one error when its answer holds values that throw on conversion', async (id) => {
		for (const odd of unconvertibles) {
			const all = Object.fromEntries(knownNames.map((name) => [name, odd]));
			for (const record of [
				all,
				{ ...all, ...order },
				{ ...order, sequence: odd, tick_size: odd, price_precision: odd },
			])
				await endsProperly(id, [record, record], all, [inputOf(id)]);
		}
	});

	it.each(operationIds)('ends %s with one error when its input holds values that throw on reading', async (id) => {
		for (const odd of oddInputs)
			await endsProperly(
				id,
				[order],
				order,
				drawnInputs(id, () => odd),
			);
	});
});
