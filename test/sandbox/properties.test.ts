import fc from 'fast-check';
import { audit, createExchange, type Action } from '@partner-exchange/sandbox';
import { command, startPlay, type Command, type Play } from './exchange-model';
import { serialize, deserialize } from 'node:v8';
import { readState, writeState } from '../../packages/sandbox/src/server/journal';

/** Random histories of the exchange, checked after every command for the invariants. */

const COMMANDS_PER_LIFE_MAX = 240;

/** Each night many times as many. */
const LIVES = process.env.SIMULATION_SEEDS === undefined ? 60 : 1_100;

const arrows: Record<string, readonly string[]> = {
	pending: ['accepted', 'rejected', 'cancelled'],
	accepted: ['partially_filled', 'filled', 'cancelled'],
	partially_filled: ['partially_filled', 'filled', 'cancelled'],
	filled: [],
	cancelled: [],
	rejected: [],
};

interface OrderEvent {
	id: string;
	status: string;
	filled_quantity: string;
	quantity: string;
	time_in_force: string;
}

/** Millions of checks are made, and `expect` would take longer for each than the exchange takes to cause it. */
function check(isKept: boolean, promise: string, row: unknown): void {
	if (!isKept) throw new Error(`Broken: ${promise}: ${JSON.stringify(row)}`);
}

/** Reconstructs the state from the stream, which is all a client sees. */
function createObserver() {
	const statuses = new Map<string, string>();
	const sequences = new Map<string, number>();
	const takers = new Set<string>();
	return {
		takers,
		observe(message: Play['heard'][number][number], listener: number) {
			if (message.type !== 'data') return;
			const topic = `${listener} ${message.topic}`;
			check(message.seq === (sequences.get(topic) ?? 0) + 1, 'a topic counts by one', message);
			sequences.set(topic, message.seq as number);
			const data = message.data as unknown;
			if (message.topic === 'user.fills' && (data as { liquidity: string }).liquidity === 'taker')
				takers.add((data as { order_id: string }).order_id);
			if (message.topic !== 'user.orders') return;
			const order = data as OrderEvent;
			const before = statuses.get(order.id);
			if (before === undefined) check(order.status === 'pending', 'an order begins pending', order);
			else check(arrows[before]!.includes(order.status), `an order goes on from ${before}`, order);
			statuses.set(order.id, order.status);
		},
	};
}

function judgeOrders(play: Play, takers: Set<string>): void {
	for (const order of play.exchange.engine.state.orders.values()) {
		const { id, filled, quantity, timeInForce } = order;
		if (timeInForce === 'FOK') check(filled === 0n || filled === quantity, 'FOK is filled whole or not', id);
		if (timeInForce === 'POST_ONLY') check(!takers.has(id), 'POST_ONLY takes nothing', id);
	}
}

function live(commands: readonly Command[], settings: object): number {
	const play = startPlay({ seed: commands.length, settings });
	const observer = createObserver();
	const seen = [0, 0];
	for (const command of commands) {
		play.run(command);
		play.heard.forEach((messages, listener) => {
			for (; (seen[listener] as number) < messages.length; (seen[listener] as number)++) {
				observer.observe(messages[seen[listener] as number] as never, listener);
			}
		});
		const faults = audit(play.exchange.engine.state);
		if (faults.length > 0) throw new Error(faults.join('; '));
	}
	judgeOrders(play, observer.takers);
	return commands.length;
}

describe('the exchange under random commands', () => {
	it('keeps its books in order through random commands, many in each of its lives', () => {
		let count = 0;
		const life = fc.array(command, { maxLength: COMMANDS_PER_LIFE_MAX, size: 'max' });
		const selfTrade = fc.constantFrom('cancel_taker', 'cancel_maker');
		const replaceQuantity = fc.constantFrom('total', 'remaining');
		const orderDelayMs = fc.constantFrom(0, 5);
		fc.assert(
			fc.property(life, fc.record({ selfTrade, replaceQuantity, orderDelayMs }), (commands, settings) => {
				count += live(commands, settings);
			}),
			{ numRuns: LIVES, seed: 20_260_101 },
		);
		expect(count).toBeGreaterThanOrEqual(LIVES * 90);
	});
});

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
	it('produces the same bytes when run twice with one seed', () => {
		for (const commands of lives(2, 300)) expect(record(commands, 42) === record(commands, 42)).toBe(true);
	});

	it('produces other identifiers and prices from another seed', () => {
		const [commands = []] = lives(1, 50);
		expect(record(commands, 1)).not.toBe(record(commands, 2));
	});

	it.each(['cancel_taker', 'cancel_maker'] as const)(
		'restores the same exchange from a saved state and its journal, also where %s ended a self-trade',
		(selfTrade) => {
			for (const commands of lives(3, 300)) {
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
