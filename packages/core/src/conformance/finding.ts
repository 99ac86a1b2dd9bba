/** What became of one assumption of the client at a real service. */
export type Verdict = 'held' | 'differs' | 'could not tell';

export interface Finding {
	/** The input or operation it is about, as docs/assumptions.md names it. */
	about: string;
	verdict: Verdict;
	/** What was seen, without keys. */
	seen: string;
	/** What to do about it; empty where it held. */
	todo: string;
	/** The name the service uses, for `names` of the account. */
	name?: string;
}

export const holds = (about: string, seen: string): Finding => ({ about, verdict: 'held', seen, todo: '' });

export const differs = (about: string, seen: string, todo: string, name?: string): Finding => ({
	about,
	verdict: 'differs',
	seen,
	todo,
	...(name === undefined ? {} : { name }),
});

export const unclear = (about: string, seen: string, todo: string): Finding => ({
	about,
	verdict: 'could not tell',
	seen,
	todo,
});

/** The mapping for `names` of the account: what the service calls differently. */
export const namesOf = (findings: readonly Finding[]): Record<string, string> =>
	Object.fromEntries(findings.flatMap(({ about, name }) => (name === undefined ? [] : [[about, name]])));
