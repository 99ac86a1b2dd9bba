/** The console page, opened in a browser. */
import type { Page } from 'playwright-core';

/** Waits until an element's text contains another. */
export async function shows(on: Page, selector: string, text: string): Promise<void> {
	const find = ([at, wanted]: string[]) => document.querySelector(at ?? '')?.textContent?.includes(wanted ?? '');
	await on.waitForFunction(find, [selector, text]).catch(async () => {
		const instead = await on.locator(selector).first().textContent();
		throw new Error(`Expected "${text}" in ${selector}, found "${instead}".`);
	});
}
