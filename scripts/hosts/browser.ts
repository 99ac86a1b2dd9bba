/** The browser of the machine, for tests of pages and for pictures of them. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const FLAGS = [
	...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run'],
	...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
/** What a page is to show is waited for, so this limit costs nothing and may suit the slowest machine. */
export const PAGE_TIMEOUT_MS = 120_000;

export async function openBrowser(): Promise<Browser> {
	const executablePath = process.env['CHROMIUM'] || '/usr/bin/chromium';
	if (!existsSync(executablePath))
		throw new Error(
			`Pages are tested in a real browser, and there is none at ${executablePath}. Install Chromium or name one in CHROMIUM.`,
		);
	return await chromium.launch({ executablePath, args: FLAGS, timeout: PAGE_TIMEOUT_MS });
}
