import { ExchangeError } from '../../errors';
import { excerpt } from '../../redaction';
import type { ErrorFrame } from './frames';

/** What an error message of the service means for the topics it is about. */
export interface Refusal extends Pick<ErrorFrame, 'kind' | 'topics'> {
	error: ExchangeError;
}

export function refusalOf({ kind, topics, text, code }: ErrorFrame, apiKey: string): Refusal {
	const error = new ExchangeError(kind === 'key' ? 'unauthorized' : kind === 'forbidden' ? 'forbidden' : 'refused', {
		operation: 'Stream',
		what: 'The service refused the subscription',
		serviceMessage: excerpt(text, apiKey) || undefined,
		serviceCode: excerpt(code, apiKey) || undefined,
	});
	return { kind, topics, error };
}

/** A topic is refused by silence. */
export const unconfirmed = (topic: string): ExchangeError =>
	new ExchangeError('timeout', { operation: 'Stream', what: `The service does not confirm the topic ${topic}` });
