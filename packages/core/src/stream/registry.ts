import type { Account } from '../account';
import type { Clock } from '../ports';
import type { Stream } from './contract';
import { IDLE_MS_MAX } from './limits';

/** A stream somebody uses together with others. */
export interface SharedStream {
	stream: Stream;
	/** Says that it is no longer used here. The last one to say so lets it close after a while. */
	release(): void;
}

export interface StreamRegistry {
	/** The one stream of an account; `make` is called when there is none yet. */
	share(account: Account, make: () => Stream): SharedStream;
	/** The stream of an account, where this process runs one. */
	find(account: Account): Stream | undefined;
	/** Ends all streams at once. */
	close(): Promise<void>;
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
				if (entry.users === 0) entry.cancelClose = clock.after(IDLE_MS_MAX, () => void close(name, entry));
			};
			return { stream: entry.stream, release };
		},
		find: (account) => entries.get(nameOf(account))?.stream,
		close: async () => {
			await Promise.all([...entries].map(([name, entry]) => (entry.cancelClose?.(), close(name, entry))));
		},
	};
}

/** Everything that makes two accounts different; it never leaves this module. */
const nameOf = ({ environment, baseUrl, wsUrl, apiKey, names }: Account): string =>
	JSON.stringify([environment, baseUrl, wsUrl, apiKey, names ?? {}]);
