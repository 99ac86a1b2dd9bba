import { readStream, type StreamSettings } from '@partner-exchange/core/adapters';
import { listeners, topics } from '@partner-exchange/core/catalogue';
import type { INodeProperties, ITriggerFunctions } from 'n8n-workflow';
import { deliveryFields, outputField, readDelivery, type DeliveryParameters } from '../delivery/delivery-form';
import { addedTo, triggerForm, refuseStrays, withStrays, type Form } from '../form/property';

const { fields, filters, options } = listeners.stream;
/** Topics, filters and delivery of a trigger. */
const form = { fields: { ...fields, output: outputField }, filters, options: { ...options, ...deliveryFields } };

export const subscriptionForm = (): INodeProperties[] => withStrays(triggerForm(form));

/** The names of the chosen topics as the form shows them. n8n evaluates this as an expression. */
export const topicsInWords = `={{ [$parameter["topics"]].flat().map((topic) => (${JSON.stringify(
	Object.fromEntries(Object.entries(topics).map(([topic, { label }]) => [topic, label])),
)})[topic] ?? topic).join(", ") }}`;

/** The parsed form of a trigger. */
export interface TriggerParameters extends DeliveryParameters, StreamSettings {}

export function readSubscription(
	host: Pick<ITriggerFunctions, 'getNode' | 'getNodeParameter' | 'getWorkflowSettings'>,
	shown: Form,
): TriggerParameters {
	refuseStrays(host.getNode(), shown);
	const added: Record<string, unknown> = { ...addedTo(host, form) };
	return {
		...readStream({
			topics: host.getNodeParameter('topics', []),
			pairs: host.getNodeParameter('pairs', []),
			...added,
		}),
		...readDelivery(
			{ ...added, output: host.getNodeParameter('output', undefined) },
			host.getWorkflowSettings().executionTimeout,
		),
	};
}
