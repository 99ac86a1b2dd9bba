/** Terminal output of the start scripts: one line per event, with the time of day. */

export function tell(text: string): void {
	const now = new Date();
	const clock = [now.getHours(), now.getMinutes(), now.getSeconds()]
		.map((part) => String(part).padStart(2, '0'))
		.join(':');
	process.stdout.write(`${clock}  ${text}\n`);
}

/** Lists the pages to open once everything is running. */
export function showPages(pages: Array<{ name: string; url: string; what: string }>): void {
	const rows = pages.map(({ name, url, what }) => `  ${name.padEnd(18)} ${url.padEnd(24)} ${what}`);
	process.stdout.write(`\n${rows.join('\n')}\n\n  Stop everything with Ctrl-C.\n\n`);
}
