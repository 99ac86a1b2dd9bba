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

/** Tells what the debug nodes of a Node-RED print, which arrives in its log, and the warnings of all nodes. */
export function retellNodeRed(name: string, line: string, before = ''): void {
	const [, level, node, text] = / - \[(info|warn|error)\] \[([^\]:]+:[^\]]+)\] (.*)$/.exec(line) ?? [];
	if (!text) return;
	if (node!.startsWith('debug:')) tell(`${before}${text.trimEnd()}`);
	else if (level !== 'info') tell(`${name}: ${text}`);
}
