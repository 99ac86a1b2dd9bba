/** How alike two names of an account holder are. */
export type NameMatch = 'exact' | 'close' | 'different';

const titles =
	'mr mrs ms miss dr chief alhaji alhaja alh engr prof professor sir barr barrister pastor rev prince princess hon otunba mallam capt';
const companyForms = 'ltd limited plc inc incorporated llc llp co company corp corporation nig nigeria';
const besideTheName: ReadonlySet<string> = new Set(`${titles} ${companyForms}`.split(' '));

/**
 * Compares a name somebody expects with the one a bank confirms. `exact`: the same words, because banks write names in
 * capitals, without accents and in either order. `close`: the same but for titles, company forms, initials or further
 * names. Anything else is `different`.
 */
export function nameMatch(expected: string, confirmed: string): NameMatch {
	const [wanted, shown] = [wordsOf(expected), wordsOf(confirmed)];
	if (wanted.length === 0 || shown.length === 0) return 'different';
	if ([...wanted].sort().join(' ') === [...shown].sort().join(' ')) return 'exact';
	return isClose(wanted.filter(isName), shown.filter(isName)) ? 'close' : 'different';
}

const wordsOf = (name: string): string[] =>
	name
		.normalize('NFKD')
		.replace(/[\p{M}'’]/gu, '')
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean);

const isName = (word: string): boolean => !besideTheName.has(word);

/** Every word of the shorter name stands in the longer one, written out or as an initial, and one of them written out. */
function isClose(wanted: string[], shown: string[]): boolean {
	const [shorter, longer] = wanted.length <= shown.length ? [wanted, [...shown]] : [shown, [...wanted]];
	const take = (isIt: (word: string) => boolean): boolean => {
		const at = longer.findIndex(isIt);
		if (at >= 0) longer.splice(at, 1);
		return at >= 0;
	};
	const isSingle = shorter.length === 1 && longer.length > 1;
	const rest = shorter.filter((word) => word.length === 1 || !take((other) => other === word));
	return !isSingle && rest.length < shorter.length && rest.every((word) => take((other) => isInitial(word, other)));
}

/** `A` and `Ada` are one, in either of the names. */
const isInitial = (word: string, other: string): boolean =>
	(word.length === 1 || other.length === 1) && word[0] === other[0];
