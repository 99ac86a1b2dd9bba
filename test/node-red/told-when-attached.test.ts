/** A subscription exists before its node is attached, and between two nodes of a deploy: what goes wrong then is told later. */
import { setImmediate as turn } from 'node:timers/promises';
import type { StreamState } from '@partner-exchange/core';
import { nodePorts, openAccount } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { openSubscription } from '../../packages/node-red/src/events/subscription';
import { debouncedSave } from '../../packages/node-red/src/positions/debounced-save';
import { freePort } from '../../scripts/hosts/ports';
import { until } from '../support/condition';

const { clock } = nodePorts();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0).reverse()) await close();
});

/** A subscription to a port of this computer, its states and whether it ended, and a node that keeps what it is told. */
function open(port: number, apiKey: string) {
	const baseUrl = `http://127.0.0.1:${port}/v1`;
	const { stream, close } = openAccount({ environment: 'sandbox', baseUrl, apiKey });
	const states: StreamState[] = [];
	let isEnded = false;
	const store = { load: async () => await Promise.resolve(undefined), save: async () => await Promise.resolve() };
	const subscription = openSubscription({
		...{ signature: '', clock, flowNode: { id: 'events', z: 'tab' }, turn: async () => await turn() },
		consumer: { topics: ['user.fills'] },
		acknowledgement: { timeoutMs: Infinity, batchesMax: 50, stalledMs: Infinity },
		save: debouncedSave(store, clock, () => undefined),
		deploys: { running: () => true, onStarted: () => () => undefined },
		ended: () => (isEnded = true),
		stream: {
			subscribe: (consumer) =>
				stream.subscribe({
					...consumer,
					onNotice: (notice) => {
						consumer.onNotice?.(notice);
						states.push(notice.state);
					},
				}),
		},
	});
	closing.push(close, async () => await subscription.close());
	const told: string[] = [];
	const attach = (): void =>
		subscription.attach({
			...{ send: () => undefined, resend: () => undefined, stalled: () => undefined },
			notice: ({ state }) => void told.push(state),
			away: () => void told.push('away'),
			failed: ({ message }) => void told.push(message),
		});
	return { attach, told, states, isEnded: () => isEnded };
}

describe('a subscription of an events node', () => {
	const sandboxAt = async (port?: number) => {
		const sandbox = await startSandbox({ marketMaker: false, port });
		closing.push(async () => await sandbox.close());
		return sandbox;
	};

	it('that ended before its node was attached tells it why', async () => {
		const { attach, told, isEnded } = open(await freePort(), '');
		await until(isEnded, { what: 'the end of the subscription' });
		attach();
		expect(told).toEqual([expect.stringContaining('API Key (apiKey) is missing: the topic user.fills needs it')]);
	});

	it('that lost the service while no node was attached tells the next one so, once', async () => {
		const port = await freePort();
		const { attach, told, states } = open(port, 'sandbox-key');
		await until(() => states.includes('waiting'), { what: 'the first try to fail' });
		attach();
		attach();
		expect(told.filter((each) => each === 'away')).toEqual(['away']);
	});

	it('says nothing of an outage that was over before its node was attached', async () => {
		const port = await freePort();
		const { attach, told, states } = open(port, 'sandbox-key');
		await until(() => states.includes('waiting'), { what: 'the first try to fail' });
		await sandboxAt(port);
		await until(() => states.includes('live'), { what: 'the connection' });
		attach();
		expect(told).toEqual(['live']);
	});
});
