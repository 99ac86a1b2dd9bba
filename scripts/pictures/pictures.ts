/** Takes screenshots for the documentation in the installed browser. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../hosts/browser';

export const images = join(__dirname, '..', '..', 'docs', 'images');

/** Opens a browser and closes it afterwards, also on an error. */
export async function takePictures(take: (browser: Browser) => Promise<void>): Promise<void> {
	const browser = await openBrowser();
	try {
		await take(browser);
	} catch (error) {
		process.exitCode = 1;
		console.error(error instanceof Error ? error.message : String(error));
	} finally {
		await browser.close();
	}
}
