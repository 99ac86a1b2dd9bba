import type { Consumer } from '@partner-exchange/core';
import { data, fill, openStage } from './stage';

const full = new Error('disk full');

/** A script that awaits no `ready` has its callbacks alone to hear of an end. */
describe('a subscription whose ready nobody awaits', () => {
	const FILLS = { topics: ['user.fills'] };
	const toldOf = (seen: { notices: { text: string }[] }): string[] => seen.notices.map(({ text }) => text);

	it('hears that its first connection failed, once, and no notice promises another one', async () => {
		const { sockets, consume, pass } = openStage({ opens: false });
		const seen = consume(FILLS);
		await pass(1_000);
		sockets[0]!.close();
		await pass(60_000);
		expect(seen.failed).toMatchObject({ code: 'unreachable' });
		await expect(seen.subscription.ready).rejects.toBe(seen.failed);
		expect(toldOf(seen)).not.toContain('Disconnected, reconnecting');
	});

	it('hears that nothing was confirmed in time', async () => {
		const { consume, pass } = openStage({ confirms: false });
		const seen = consume({ topics: ['trades.USD_NGN'] });
		await pass(120_000);
		expect(seen.failed?.message).toContain('Stream');
		await expect(seen.subscription.ready).rejects.toBe(seen.failed);
	});

	it.each([
		['no topic', { topics: [] }],
		['a topic there is not', { topics: ['user.fils'] }],
		['a filter that cannot be', { ...FILLS, filters: { minQuantity: 'many' } }],
	])('hears of %s', async (_, consumer) => {
		const { consume, settled } = openStage();
		const seen = consume(consumer);
		await settled();
		expect(seen.failed).toMatchObject({ code: 'invalid_input' });
		await expect(seen.subscription.ready).rejects.toBe(seen.failed);
	});

	it.each<[string, () => void]>([
		[
			'throws',
			() => {
				throw full;
			},
		],
		// What a script writes whose store is asynchronous.
		['rejects', () => Promise.reject(full)],
	])(
		'hears that its checkpoint could not be stored because onCheckpoint %s, with the error of its own',
		async (_, onCheckpoint) => {
			const { consume, sockets, pass, settled } = openStage();
			const seen = consume({ ...FILLS, onCheckpoint });
			await settled();
			sockets[0]!.say(data('user.fills', 1, fill('f1')));
			await pass(60_000);
			expect(seen.failed).toMatchObject({ code: 'invalid_input' });
			expect(seen.failed?.cause).toBe(full);
			expect(JSON.stringify(seen.failed)).not.toContain(full.message);
		},
	);

	it('hears that its events come again, with what its deliver rejected with', async () => {
		const { consume, sockets, pass, settled } = openStage();
		const taken: string[] = [];
		let tries = 0;
		const deliver: Consumer['deliver'] = async ([event]) => {
			tries += 1;
			if (tries < 3) throw full;
			taken.push(event!.eventKey);
		};
		const seen = consume({ ...FILLS, deliver });
		await settled();
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await pass(60_000);
		expect(seen.notices.filter(({ cause }) => cause !== undefined)).toEqual([
			{ kind: 'degraded', state: 'live', text: expect.stringContaining('delivered again') as string, cause: full },
		]);
		expect(taken).toHaveLength(1);
	});

	it('ends where what is told of a refused key rejects, and no rejection is left to the process', async () => {
		const unhandled: unknown[] = [];
		const note = (error: unknown) => void unhandled.push(error);
		process.on('unhandledRejection', note);
		const { sockets, consume, settled, pass } = openStage({ opens: false });
		const onRefused = () => Promise.reject(full) as never;
		const seen = consume({ ...FILLS, retriesFirstConnection: true, onRefused });
		await settled();
		for (let tries = 0; tries < 3; tries += 1) {
			sockets[tries]!.close({ status: 401 });
			await pass(2_000);
		}
		await new Promise((resolve) => setImmediate(resolve));
		process.off('unhandledRejection', note);
		expect([unhandled, seen.failed?.cause]).toEqual([[], full]);
	});

	it('hears nothing of an end that it asked for', async () => {
		const { consume, pass } = openStage({ opens: false });
		const seen = consume(FILLS);
		await seen.subscription.close();
		await pass(60_000);
		expect(seen.failed).toBeUndefined();
	});

	it('is told of tries where it asked for them', async () => {
		const { sockets, consume, pass } = openStage({ opens: false });
		const seen = consume({ ...FILLS, retriesFirstConnection: true });
		await pass(1_000);
		sockets[0]!.close();
		await pass(10_000);
		expect(seen.failed).toBeUndefined();
		expect(toldOf(seen)).toContain('Disconnected, reconnecting');
		expect(sockets.length).toBeGreaterThan(1);
	});
});
