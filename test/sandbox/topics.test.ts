import { exactTopics, topics, type TopicId } from '@partner-exchange/core/catalogue';
import type { Sandbox } from '@partner-exchange/sandbox';
import { ask, eventsOf, listenTo, place, sandboxFor, subscribe } from './connection';

/** For topics of the wallet, which no trade of this test moves. */
async function settledDeposit(sandbox: Sandbox): Promise<void> {
	const body = { email: 'trader@sandbox.test', amount: '1.00', currency: 'NGN' };
	await ask(sandbox, 'POST /simulate/fiat/deposits', { body });
	sandbox.advance(60_000);
}

describe('subscribing to the catalogue', () => {
	const wanted = exactTopics(Object.keys(topics) as TopicId[], ['USD/NGN']);

	it('subscribes to every topic of the catalogue: `api/stream-topics.ts` resolves it', async () => {
		const line = await listenTo(await sandboxFor(), 'sandbox-key');
		expect((await subscribe(line, wanted)).topics).toEqual(wanted);
	});

	it('sends an event of every topic after a trade and a deposit: `emitEvent` is called where the state changes', async () => {
		const sandbox = await sandboxFor();
		const line = await listenTo(sandbox, 'sandbox-key');
		const { topics: confirmed } = await subscribe(line, wanted);
		await place(sandbox);
		await place(sandbox, { side: 'sell' }, 'sandbox-key-second');
		await settledDeposit(sandbox);
		line.send({ type: 'ping' });
		await line.hears(({ type }) => type === 'pong', 'the pong');
		expect((confirmed as string[]).filter((topic) => eventsOf(line, topic).length === 0)).toEqual([]);
	});
});
