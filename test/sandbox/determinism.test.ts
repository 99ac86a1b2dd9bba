import { serialize, deserialize } from 'node:v8';
import fc from 'fast-check';
import { audit, createExchange, type Action } from '@partner-exchange/sandbox';
import { readState, writeState } from '../../packages/sandbox/src/server/saved-state';
import { command, startPlay, type Command } from './exchange-model';

/** The same seed and the same inputs give the same exchange, byte for byte; so does a saved state with its journal. */

const lives = (count: number, length: number): Command[][] =>
	fc.sample(fc.array(command, { minLength: length, maxLength: length, size: 'max' }), { numRuns: count, seed: 7 });

/** All output and the complete state of an exchange. */
function record(commands: readonly Command[], seed: number): string {
	const play = startPlay({ seed, settings: { marketMaker: 'live' } });
	const answers: string[] = [];
	for (const command of commands) {
		play.run(command);
		answers.push(
			play.exchange.handle({
				method: 'GET',
				path: '/v1/partner/exchange/orders?limit=3',
				headers: { 'x-api-key': 'sandbox-key' },
			}).body,
		);
	}
	return JSON.stringify([answers, play.heard, serialize(play.exchange.engine.state).toString('base64')]);
}

describe('the exchange', () => {
	it('produces the same bytes when run twice with one seed (checklist 173)', () => {
		for (const commands of lives(5, 300)) expect(record(commands, 42) === record(commands, 42)).toBe(true);
	});

	it('produces other identifiers and prices from another seed (checklist 173)', () => {
		const [commands = []] = lives(1, 50);
		expect(record(commands, 1)).not.toBe(record(commands, 2));
	});

	it.each(['cancel_taker', 'cancel_maker'] as const)(
		'restores the same exchange from a saved state and its journal, also where %s ended a self-trade (checklist 186)',
		(selfTrade) => {
			for (const commands of lives(10, 300)) {
				const journal: { at: number; action: Action }[] = [];
				let saved: Uint8Array | undefined;
				const options = {
					seed: 3,
					settings: { selfTrade },
					record: (at: number, action: Action) => saved && journal.push({ at, action }),
				};
				const play = startPlay(options);
				commands.forEach((command, index) => {
					if (index === 100) saved = writeState(play.exchange.engine.state);
					play.run(command);
				});
				const { state } = play.exchange.engine;
				const again = createExchange({ state: readState(saved!) }).engine;
				for (const { at, action } of journal) {
					again.advanceTo(at);
					again.apply(deserialize(serialize(action)) as Action);
				}
				again.advanceTo(state.now);
				expect(again.state).toEqual(state);
				expect(audit(again.state)).toEqual([]);
				expect(selfTradesOf(state.orders.values())).toBeGreaterThan(0);
			}
		},
	);
});

const selfTradesOf = (orders: Iterable<{ reason: string | null }>): number =>
	[...orders].filter(({ reason }) => reason?.includes('same account')).length;
