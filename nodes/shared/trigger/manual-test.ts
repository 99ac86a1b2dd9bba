import type { Subscription } from '@partner-exchange/core';
import { exampleEvent, sampleEvent } from '@partner-exchange/core/adapters';
import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { connect } from '../account/connection';
import { soon } from '../delivery/delivery';
import { itemOf, outputsOf } from '../delivery/outputs';
import { nodeError } from '../host/errors';
import { accept } from './listen';
import { readSubscription } from './subscription';

/**
 * A test in the editor emits the latest event there is, or an example of the orders and fills there are none of yet, or
 * waits for the next. It stores no position and does not affect the published workflow.
 */
export async function testManually(host: ITriggerFunctions): Promise<ITriggerResponse> {
	const connection = await connect(host);
	const wanted = await accept(connection, readSubscription(host));
	let subscription: Subscription | undefined;
	return {
		manualTriggerFunction: async () => {
			try {
				const latest = await sampleEvent(connection.client, wanted);
				const shown = latest ?? exampleEvent(wanted);
				if (shown) return host.emit([[itemOf(shown, wanted.output)]]);
				let isListening = false;
				subscription = connection.stream().subscribe({
					topics: wanted.topics,
					filters: wanted.filters,
					deliverMissed: false,
					deliver: async (events) =>
						await Promise.resolve(host.emit(outputsOf(events, { ...wanted.failure, output: wanted.output }))),
					// Before that the error is thrown below.
					onFailed: (error) => void (isListening && host.emitError(nodeError(host.getNode(), error))),
				});
				await subscription.ready;
				isListening = true;
			} catch (error) {
				throw nodeError(host.getNode(), error);
			}
		},
		closeFunction: async () => {
			if (subscription) await soon(subscription.close());
			connection.release();
		},
	};
}
