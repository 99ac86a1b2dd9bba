/** Pictures for the documents, taken in the browser of the machine. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../hosts/browser';

export const images = join(__dirname, '..', '..', 'docs', 'images');

/** Opens a browser for the pictures of a script, and closes it whatever becomes of them. */
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
