import fc from 'fast-check';
import { audit } from '@partner-exchange/sandbox';
import { command, startPlay, type Command, type Play } from './exchange-model';

/** Random histories of the exchange, checked after every command for the invariants. */

const COMMANDS_PER_LIFE_MAX = 240;
const LIVES = 1_100;

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
	it('keeps its books in order through more than 100,000 random commands (checklist 52, 175, 177)', () => {
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
		expect(count).toBeGreaterThanOrEqual(100_000);
	});
});
