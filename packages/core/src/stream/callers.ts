import type { ExchangeError } from '../errors';
import type { Cursor } from './log';

/** Callers that wait until something is true of a topic. */
export interface Callers {
	/** Resolves once it is true. A caller that only needs the subscription has no subscriber. */
	wait(isMet: () => boolean, cursor?: Cursor): Promise<void>;
	/** Resolves those whose condition holds now. Called after each change of the topic. */
	look(): void;
	reject(error: ExchangeError, whose: (cursor: Cursor | undefined) => boolean): void;
}

interface Caller {
	cursor?: Cursor;
	isMet(): boolean;
	resolve(): void;
	reject(error: ExchangeError): void;
}

export function createCallers(): Callers {
	const callers = new Set<Caller>();

	function end(caller: Caller, how: (caller: Caller) => void): void {
		callers.delete(caller);
		how(caller);
	}

	function look(): void {
		for (const caller of callers) if (caller.isMet()) end(caller, ({ resolve }) => resolve());
	}

	return {
		wait: (isMet, cursor) =>
			new Promise((resolve, reject) => {
				callers.add({ cursor, isMet, resolve, reject });
				look();
			}),
		look,
		reject: (error, whose) => {
			for (const caller of callers) if (whose(caller.cursor)) end(caller, ({ reject }) => reject(error));
		},
	};
}
