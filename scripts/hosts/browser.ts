/** The installed browser, for tests and screenshots of pages. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const FLAGS = [
	...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run'],
	...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
/**
 * Timeout of waits on a page. Waits end as soon as their condition holds, so a high limit only matters on slow
 * machines.
 */
export const PAGE_TIMEOUT_MS = 120_000;

export async function openBrowser(): Promise<Browser> {
	const executablePath = process.env['CHROMIUM'] || '/usr/bin/chromium';
	if (!existsSync(executablePath))
		throw new Error(
			`Pages are tested in a real browser, and ${executablePath} does not exist. Install Chromium or name one in CHROMIUM.`,
		);
	return await chromium.launch({ executablePath, args: FLAGS, timeout: PAGE_TIMEOUT_MS });
}
