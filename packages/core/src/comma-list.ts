/** The names of a list, or of one text that separates them by commas. */
export function commaList(stored: unknown): string[] {
	const names: unknown[] = Array.isArray(stored) ? stored : typeof stored === 'string' ? stored.split(',') : [];
	return names.map((name) => String(name).trim()).filter((name) => name !== '');
}
