import { ExchangeError } from '@partner-exchange/core';
import { openStage, trade } from './stage';

const MINUTE_MS = 60_000;
const REFUSED = new ExchangeError('forbidden', { what: 'The key may not read' });

describe.each([
	['trades.USD_NGN', 'market.trades'],
	['user.fills', 'fill.list'],
])('an outage of %s, whose list is refused later', (topic, list) => {
	const openTopic = async () => {
		const stage = openStage();
		stage.lists[list] = Array.from({ length: 20 }, (_, index) => trade(index + 1));
		const seen = stage.consume({ topics: [topic], retriesFirstConnection: true });
		await stage.pass(MINUTE_MS);
		/** The connection stays: the service answers pings. */
		const pass = async (ms: number): Promise<void> => {
			for (let left = ms; left > 0; left -= MINUTE_MS / 2) {
				await stage.pass(MINUTE_MS / 2);
				stage.sockets.at(-1)!.say({ type: 'pong' });
			}
		};
		const gapsAfterOutage = async (isRefusedAtOnce: boolean): Promise<number> => {
			stage.sockets.at(-1)!.close();
			if (isRefusedAtOnce) stage.faults[list] = REFUSED;
			await pass(5 * MINUTE_MS);
			stage.faults[list] = REFUSED;
			await pass(60 * MINUTE_MS);
			return seen.events.filter(({ kind }) => kind === 'gap').length;
		};
		return gapsAfterOutage;
	};

	it('an outage that was read back is no gap when the list is refused later', async () => {
		const gapsAfterOutage = await openTopic();
		expect(await gapsAfterOutage(false)).toBe(0);
	});

	it('an outage that nothing has read back yet is a gap when the list is refused', async () => {
		const gapsAfterOutage = await openTopic();
		expect(await gapsAfterOutage(true)).toBe(1);
	});
});
