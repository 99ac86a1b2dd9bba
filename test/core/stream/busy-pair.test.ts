import { data, fill, openStage, trade } from './stage';

const TRADES = { topics: ['trades.USD_NGN'], batchMax: 1_000 };
const SECOND_MS = 1_000;

describe('a busy pair', () => {
	it('delivers an undisturbed busy pair once, without a gap, in few requests', async () => {
		const stage = openStage({ pageMax: 100 });
		const seen = stage.consume(TRADES);
		await stage.pass(100);
		const listed = (stage.lists['market.trades'] = [] as ReturnType<typeof trade>[]);
		for (let second = 0; second < 100; second += 1) {
			for (let made = 1; made <= 1_000; made += 1) {
				const sequence = second * 1_000 + made;
				listed.push(trade(sequence));
				stage.sockets[0]!.say(data('trades.USD_NGN', sequence, trade(sequence)));
				if (made % 250 === 0) await stage.settled();
			}
			await stage.pass(SECOND_MS);
		}
		expect(seen.events).toHaveLength(100_000);
		expect(new Set(seen.keys()).size).toBe(100_000);
		expect(seen.subscription.counters()).toMatchObject({ gaps: 0 });
		expect(stage.reads.length).toBeLessThan(40);
		expect(JSON.stringify(seen.positions).length).toBeLessThan(12_000);
	});

	it('delivers what was missed of the new run of a service that counts again after a restart', async () => {
		const stage = openStage();
		const seen = stage.consume(TRADES);
		await stage.pass(100);
		const first = Array.from({ length: 100 }, (_, index) => trade(index + 1));
		stage.lists['market.trades'] = first;
		first.forEach((row, index) => stage.sockets[0]!.say(data('trades.USD_NGN', index + 1, row)));
		await stage.pass(SECOND_MS);
		stage.sockets[0]!.close();
		const again = Array.from({ length: 20 }, (_, index) => ({ ...trade(index + 1), id: `again-${index + 1}` }));
		stage.lists['market.trades'] = again;
		await stage.pass(60 * SECOND_MS);
		expect(seen.keys().slice(100).sort()).toEqual(again.map(({ id }) => `trade:${id}`).sort());
	});
});

describe('what waits', () => {
	it('bounds the queue of a busy pair by its length, and backfills once the host can take more', async () => {
		const stage = openStage();
		let take: (() => void) | undefined;
		const acknowledged: number[] = [];
		const seen = stage.consume({
			topics: ['user.fills'],
			batchMax: 10,
			deliver: (events) =>
				new Promise((resolve) => {
					take = () => {
						acknowledged.push(events.length);
						resolve();
					};
				}),
		});
		await seen.subscription.ready;
		const large = 'x'.repeat(900_000);
		for (let seq = 1; seq <= 100; seq += 1)
			stage.sockets[0]!.say(data('user.fills', seq, { ...fill(`f${seq}`), note: large }));
		await stage.settled();
		expect(seen.subscription.counters().waiting * large.length).toBeLessThan(40 * 1024 * 1024);
		take?.();
		await stage.settled();
		expect(acknowledged).toEqual([10]);
	});

	it('bounds the queue of a busy pair during a backfill, however many rows a page holds', async () => {
		const first = openStage();
		const stopped = first.consume({ topics: ['user.fills'] });
		await stopped.subscription.ready;
		await stopped.subscription.close();
		const stage = openStage({ pageMax: 10 });
		const large = 'x'.repeat(100_000);
		const missed = Array.from({ length: 400 }, (_, index) => ({ ...fill(`f${index}`), note: large }));
		stage.lists['fill.list'] = missed;
		const seen = stage.consume({
			...{ topics: ['user.fills'], checkpoint: stopped.positions },
			deliver: () => new Promise(() => undefined),
		});
		await stage.pass(30_000);
		const { waiting } = seen.subscription.counters();
		expect(waiting).toBeGreaterThan(0);
		expect(waiting * large.length).toBeLessThan(16 * 1024 * 1024);
	});
});

describe('one topic that is refused', () => {
	it('a refusal that names no topic does not affect confirmed topics', async () => {
		const { sockets, consume, settled, pass } = openStage({ confirms: false });
		const good = consume({ topics: ['trades.USD_NGN'], retriesFirstConnection: true });
		const bad = consume({ topics: ['trades.NO_PAIR'], retriesFirstConnection: true });
		await settled();
		const confirm = () => {
			for (const message of sockets[0]!.sent.splice(0)) {
				const topics = (message.topics ?? []) as string[];
				if (message.type !== 'subscribe') continue;
				if (topics.includes('trades.NO_PAIR'))
					sockets[0]!.say({ type: 'error', message: 'authentication of the pair failed' });
				else sockets[0]!.say({ type: 'subscribed', topics });
			}
		};
		for (let second = 0; second < 10; second += 1) {
			confirm();
			await pass(SECOND_MS);
		}
		await expect(bad.subscription.ready).rejects.toMatchObject({ code: 'refused' });
		await good.subscription.ready;
		expect(sockets).toHaveLength(1);
	});

	it('a confirmation that lists every topic causes no new backfill', async () => {
		const { sockets, reads, consume, pass } = openStage();
		const topics = Array.from({ length: 10 }, (_, index) => `trades.A${index}_B`);
		const seen = topics.map((topic) => consume({ topics: [topic] }));
		await pass(30 * SECOND_MS);
		await Promise.all(seen.map(({ subscription }) => subscription.ready));
		const before = reads.length;
		sockets[0]!.say({ type: 'subscribed', topics });
		await pass(SECOND_MS);
		expect(reads.length - before).toBeLessThanOrEqual(2);
	});
});

describe('a subscriber at fault', () => {
	it('stops a faulty subscriber alone, with the reason', async () => {
		const { sockets, consume, settled } = openStage();
		const broken = consume({
			topics: ['user.fills'],
			onCheckpoint: () => {
				throw new Error('a fault of the host');
			},
		});
		const sound = consume({ topics: ['user.fills'] });
		await sound.subscription.ready;
		for (let seq = 1; seq <= 3; seq += 1) sockets[0]!.say(data('user.fills', seq, fill(`f${seq}`)));
		await settled();
		expect(sound.keys()).toEqual(['fill:f1:order-1', 'fill:f2:order-1', 'fill:f3:order-1']);
		expect(broken.failed ?? (await broken.subscription.ready.catch((error: Error) => error))).toMatchObject({
			code: 'invalid_input',
		});
	});

	it.each(['1,000', '${MIN_QTY}', 'ten'])('refuses the minimum quantity %s by name', async (minQuantity) => {
		const { consume } = openStage();
		const seen = consume({ topics: ['user.fills'], filters: { minQuantity } });
		await expect(seen.subscription.ready).rejects.toMatchObject({ code: 'invalid_input', field: 'minQuantity' });
	});
});
