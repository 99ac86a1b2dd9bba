import { createClient } from '@partner-exchange/core';
import { operationIds, operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import { nodePorts } from '@partner-exchange/core/node';
import { requests } from '../fixtures/requests';
import { quickClock, startWire, success } from '../support/wire';

/** Headers that HTTP adds itself. */
const ofTransport = ['host', 'connection', 'content-length', 'accept-encoding', 'user-agent'];

describe('the bytes of every operation', () => {
	it.each(operationIds)('%s puts exactly its fixture on the wire', async (id) => {
		const { input, request, command } = requests[id];
		const sent = await send(id, input);
		if (command) expect(sent.commands[0]).toEqual(command);
		else if (request) expect(sent.requests).toContainEqual(request);
		else expect(sent).toEqual({ requests: [], commands: [] });
	});
});

async function send(id: OperationId, input: Record<string, unknown>) {
	const wire = await startWire();
	// A supplied identity is looked up before anything is sent.
	wire.on('GET /partner/exchange/orders', success({ count: 0, orders: [] }));
	wire.on('GET /partner/exchange/orders/o-1', success({ id: 'o-1', status: 'accepted' }));
	const commands: object[] = [];
	const client = createClient(
		{ ...wire.account, apiKey: 'sandbox-key' },
		{ ...nodePorts(), clock: quickClock() },
		{
			commands: () => ({
				command: async (action, fields) => {
					commands.push({ action, ...fields });
					throw new Error('not answered');
				},
			}),
		},
	);
	const isChecked = operationOf(id).options?.includes('check_market');
	await client.call(id, input, { options: isChecked ? { check_market: false } : {} }).catch(() => undefined);
	await wire.close();
	const requests = wire.received.map(({ headers, ...rest }) => ({
		...rest,
		headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTransport.includes(name))),
	}));
	return { requests, commands };
}
