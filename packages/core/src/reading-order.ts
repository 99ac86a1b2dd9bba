/** A pair is called by its name, and an order by the invoice it is for. */
const IDENTIFIER = /^(?!(?:pair_id|business_key)$)(?:.*_)?(?:id|key)$/;

/**
 * The names of a record in the order in which a person reads them: what it says before what names it, and what it does
 * not say last. A closed line of a debug panel and the first columns of a table show no more than the first few.
 */
export function namesToRead(record: object): string[] {
	const [said, naming, silent]: [string[], string[], string[]] = [[], [], []];
	for (const name of Object.keys(record)) {
		const isSilent = (record as Readonly<Record<string, unknown>>)[name] === null;
		(isSilent ? silent : IDENTIFIER.test(name) ? naming : said).push(name);
	}
	return said.concat(naming, silent);
}
