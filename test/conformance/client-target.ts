import { createClient, createStream, type Stream } from '@partner-exchange/core';
import { operationOf } from '@partner-exchange/core/catalogue';
import { nodePorts } from '@partner-exchange/core/node';
import type { Sandbox } from '@partner-exchange/sandbox';
import { LIMIT, type Target } from './operations';

export function clientTarget({ baseUrl, wsUrl }: Sandbox): Promise<Target> {
	const ports = nodePorts();
	const account = { environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key' } as const;
	let stream: Stream | undefined;
	const client = createClient(account, ports, {
		commands: () => (stream ??= createStream({ ...ports, account: client.account, client })),
	});
	return Promise.resolve({
		run: async (id, input) => {
			if (!operationOf(id).list) return await client.call(id, input);
			const items = [];
			for await (const item of client.items(id, input, { limit: LIMIT })) items.push(item);
			return items;
		},
		close: async () => await stream?.close(),
	});
}
