/** The console page, built from its source and looked at in a browser. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';

export async function buildConsole(): Promise<void> {
	const script = path.join(__dirname, '../../packages/sandbox/build/console.mjs');
	await promisify(execFile)(process.execPath, [
		'-e',
		`import(${JSON.stringify(script)}).then((module) => module.build())`,
	]);
}

/** Waits until an element's text contains another. */
export async function shows(on: Page, selector: string, text: string): Promise<void> {
	const found = ([at, wanted]: string[]) => document.querySelector(at ?? '')?.textContent?.includes(wanted ?? '');
	await on.waitForFunction(found, [selector, text]).catch(async () => {
		const instead = await on.locator(selector).first().textContent();
		throw new Error(`Expected "${text}" in ${selector}, found "${instead}".`);
	});
}
