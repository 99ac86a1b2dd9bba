/** The names of a list, or of one text that separates them by commas. What is neither is a name that will not be found. */
export function commaList(stored: unknown): string[] {
	const names: unknown[] = typeof stored === 'string' ? stored.split(',') : [stored ?? []].flat();
	return names.map((name) => String(name).trim()).filter((name) => name !== '');
}
