import { createClient, createStream } from '@partner-exchange/core';
import { exactTopics, topics, type TopicId } from '@partner-exchange/core/catalogue';
import { nodePorts } from '@partner-exchange/core/node';
import { until } from '../support/condition';
import { ask, place, sandboxFor } from './connection';

it('follows every topic of the catalogue with our own client: subscribed, read over REST, and an event of each delivered', async () => {
	const sandbox = await sandboxFor();
	const { baseUrl, wsUrl } = sandbox;
	const client = createClient({ environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key' }, nodePorts());
	const stream = createStream({ ...nodePorts(), account: client.account, client });
	const wanted = exactTopics(Object.keys(topics) as TopicId[], ['USD/NGN']);
	const seen = new Set<string>();
	const failed: unknown[] = [];
	try {
		const subscription = stream.subscribe({
			topics: wanted,
			deliver: async (events) => events.forEach(({ topic, delivery }) => delivery === 'live' && seen.add(topic)),
			onFailed: (error) => void failed.push(error),
		});
		await subscription.ready;
		await place(sandbox);
		await place(sandbox, { side: 'sell' }, 'sandbox-key-second');
		// For topics of the wallet, which no trade moves.
		const body = { email: 'trader@sandbox.test', amount: '1.00', currency: 'NGN' };
		await ask(sandbox, 'POST /simulate/fiat/deposits', { body });
		sandbox.advance(60_000);
		const problems = () => stream.status().topics.filter(({ last_error }) => last_error !== null);
		const missing = () =>
			stream
				.status()
				.topics.filter(
					({ topic, readings, delivered: told }) => !seen.has(topic) || readings.done + told.reconciled === 0,
				);
		await until(() => missing().length === 0 || problems().length + failed.length > 0, {
			what: 'every topic to be read and told',
			seen: missing,
		});
		expect([failed, problems()]).toEqual([[], []]);
	} finally {
		await stream.close();
	}
});
