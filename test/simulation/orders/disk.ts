import type { IntentEntry, IntentJournal } from '@partner-exchange/core';

/** A disk that keeps its content over crashes. A dead process writes nothing. */
export function journalOn(
	disk: Map<string, IntentEntry>,
	lives: () => boolean,
	isBroken: () => boolean,
): IntentJournal {
	const doing = <T>(work: () => T): Promise<T> => {
		if (!lives()) return new Promise(() => undefined);
		return isBroken() ? Promise.reject(new Error('the disk is full')) : Promise.resolve(work());
	};
	return {
		record: (entry) => doing(() => void disk.set(nameOf(entry), entry)),
		close: (key, _, account) => doing(() => void disk.delete(nameOf({ key, account }))),
		open: () => doing(() => [...disk.values()]),
	};
}

const nameOf = ({ key, account }: Pick<IntentEntry, 'key' | 'account'>): string => JSON.stringify([key, account]);
