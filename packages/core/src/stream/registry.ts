import type { Account } from '../account';
import { inBackground } from '../background';
import type { Clock } from '../ports';
import type { Stream } from './contract';
import { IDLE_MS_MAX } from './limits';

/** A stream that others may use too: one caller's use of it, until `release`. */
export interface SharedStream {
	stream: Stream;
	/** Ends this use of the stream. After the last one, the stream closes when it has been idle for some time. */
	release(): void;
}

export interface StreamRegistry {
	/** The stream of an account; `make` creates it on first use. */
	share(account: Account, make: () => Stream): SharedStream;
	/** The stream of an account, if this process runs one. */
	find(account: Account): Stream | undefined;
}

interface Entry {
	stream: Stream;
	users: number;
	cancelClose?: () => void;
}

/** One stream per account and process, whoever asks for it. */
export function createRegistry(clock: Clock): StreamRegistry {
	const entries = new Map<string, Entry>();

	function close(name: string, entry: Entry): Promise<void> {
		entries.delete(name);
		return entry.stream.close();
	}

	return {
		share: (account, make) => {
			const name = nameOf(account);
			const entry: Entry = entries.get(name) ?? { stream: make(), users: 0 };
			entries.set(name, entry);
			entry.users += 1;
			entry.cancelClose?.();
			entry.cancelClose = undefined;
			let released = false;
			const release = () => {
				if (released) return;
				released = true;
				entry.users -= 1;
				if (entry.users === 0) entry.cancelClose = clock.after(IDLE_MS_MAX, () => inBackground(close(name, entry)));
			};
			return { stream: entry.stream, release };
		},
		find: (account) => entries.get(nameOf(account))?.stream,
	};
}

/** Everything that distinguishes two accounts. It contains the key, so it never leaves this module. */
const nameOf = ({ environment, baseUrl, wsUrl, apiKey, names }: Account): string =>
	JSON.stringify([environment, baseUrl, wsUrl, apiKey, names ?? {}]);
