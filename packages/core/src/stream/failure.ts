import { ExchangeError } from '../errors';
import { instant } from '../wire/payload';

/** The latest failure of a connection or a topic, for the status. `at`: milliseconds since 1970. */
export interface LastFailure {
	text: string;
	at: number;
}

/** Only our own texts are kept: an error thrown elsewhere may contain secrets. */
export function failureOf(error: unknown, at: number): LastFailure {
	const text = error instanceof ExchangeError ? error.summary : typeof error === 'string' ? error : 'It failed';
	return { text, at };
}

export const lastError = (
	failure: LastFailure | undefined,
): { last_error: string | null; last_error_at: string | null } => ({
	last_error: failure?.text ?? null,
	last_error_at: failure ? instant(failure.at) : null,
});
