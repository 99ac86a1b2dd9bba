import { ACCOUNT, data, fill, openStage, order } from '../../core/stream/stage';

const HOUR_MS = 3_600_000;
const EVENT_EVERY_MS = 10_000;
const BREAK_EVERY = 100;
const STORED_LENGTH_MAX = 80_000;
const LISTED_MAX = 100;
const LONG_MS = 120_000;

describe('a day of the stream', () => {
	it(
		'keeps nothing that grows: timers, connections and what is stored stay as they were after the first hours',
		async () => {
			const stage = openStage({ account: ACCOUNT });
			const seen = stage.consume({ topics: ['user.orders', 'user.fills'] });
			await seen.subscription.ready;
			let seq = 0;
			const sizes: { hour: number; timers: number; stored: number; open: number }[] = [];
			for (let hour = 1; hour <= 24; hour += 1) {
				for (let ms = 0; ms < HOUR_MS; ms += EVENT_EVERY_MS) {
					seq += 1;
					const created_at = new Date(stage.time.now()).toISOString();
					const filled = { ...fill(`f${seq}`, `o${seq}`), created_at };
					const socket = stage.sockets.at(-1)!;
					socket.say(data('user.orders', seq * 2, order(`o${seq}`, 'accepted', '0', { created_at })));
					socket.say(data('user.orders', seq * 2 + 1, order(`o${seq}`, 'filled', '10', { created_at })));
					socket.say(data('user.fills', seq, filled));
					stage.lists['fill.list'] = [filled, ...(stage.lists['fill.list'] ?? [])].slice(0, LISTED_MAX);
					if (seq % BREAK_EVERY === 0) socket.close({});
					await stage.pass(EVENT_EVERY_MS);
				}
				seen.events.length = seen.notices.length = stage.reads.length = 0;
				sizes.push({
					hour,
					timers: stage.timers(),
					stored: JSON.stringify(seen.positions).length,
					open: stage.sockets.filter(({ isOpen, isTerminated }) => isOpen && !isTerminated).length,
				});
				stage.sockets.splice(0, stage.sockets.length - 2);
			}
			const most = (name: 'timers' | 'stored', from: number, to: number) =>
				Math.max(...sizes.slice(from, to).map((size) => size[name]));
			expect(most('timers', 12, 24)).toBeLessThanOrEqual(most('timers', 0, 12));
			expect(most('stored', 12, 24)).toBeLessThanOrEqual(most('stored', 0, 12) * 1.05);
			expect(most('stored', 0, 24)).toBeLessThan(STORED_LENGTH_MAX);
			expect(sizes.every(({ open }) => open <= 1)).toBe(true);
			expect(seen.subscription.counters().delivered).toBe(3 * seq);
		},
		LONG_MS,
	);
});
