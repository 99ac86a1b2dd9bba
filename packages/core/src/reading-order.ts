/** A pair is called by its name, and an order by the invoice it is for. */
const IDENTIFIER = /^(?!(?:pair_id|business_key)$)(?:.*_)?(?:id|key)$/;

/**
 * The names of a record in the order in which a person reads them: what it says before what names it. A closed line of a
 * debug panel and the first columns of a table show no more than the first few.
 */
export function namesToRead(record: object): string[] {
	const names = Object.keys(record);
	return [...names.filter((name) => !IDENTIFIER.test(name)), ...names.filter((name) => IDENTIFIER.test(name))];
}
