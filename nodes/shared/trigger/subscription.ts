import { readStream, type StreamSettings } from '@partner-exchange/core/adapters';
import { listeners, topics } from '@partner-exchange/core/catalogue';
import type { ITriggerFunctions } from 'n8n-workflow';
import { deliveryFields, outputField, readDelivery, type DeliveryParameters } from '../delivery/delivery-form';
import {
	collectionOf,
	fieldsOf,
	propertiesOf,
	refuseOthers,
	refuseStrays,
	withStrays,
	type Form,
} from '../form/property';

const { fields, filters, options } = listeners.stream;

/** Topics, filters and delivery of a trigger. */
export const subscriptionForm = (): Form =>
	withStrays([
		...propertiesOf(fields),
		...propertiesOf({ output: outputField }),
		...collectionOf({ name: 'filters', adds: 'Filter' }, filters),
		...collectionOf({ name: 'options', adds: 'Option' }, { ...options, ...deliveryFields }),
	]);

/** The names of the chosen topics as the form shows them. n8n evaluates this as an expression. */
export const topicsInWords = `={{ [$parameter["topics"]].flat().map((topic) => (${JSON.stringify(
	Object.fromEntries(Object.entries(topics).map(([topic, { label }]) => [topic, label])),
)})[topic] ?? topic).join(", ") }}`;

/** The parsed form of a trigger. */
export interface TriggerParameters extends DeliveryParameters, StreamSettings {}

export function readSubscription(
	host: Pick<ITriggerFunctions, 'getNode' | 'getNodeParameter' | 'getWorkflowSettings'>,
): TriggerParameters {
	refuseStrays(host.getNode(), subscriptionForm);
	const chosen = fieldsOf(host.getNodeParameter('options', {}), 'options');
	const narrowed = fieldsOf(host.getNodeParameter('filters', {}), 'filters');
	refuseOthers({ ...narrowed, ...chosen }, Object.keys({ ...filters, ...options, ...deliveryFields }));
	return {
		...readStream({
			topics: host.getNodeParameter('topics', []),
			pairs: host.getNodeParameter('pairs', []),
			...narrowed,
			deliverMissed: chosen['deliverMissed'],
		}),
		...readDelivery(
			{ ...chosen, output: host.getNodeParameter('output', undefined) },
			host.getWorkflowSettings().executionTimeout,
		),
	};
}
