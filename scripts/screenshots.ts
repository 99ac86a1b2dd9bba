/** Takes the screenshots of the running demo: `npm start`, then `node --import tsx scripts/screenshots.ts`. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { images, takePictures } from './pictures/pictures';

const SIZE = { width: 1440, height: 900 };
/** Wait until a few orders have been placed, so that the image shows a running flow. */
const AT_WORK_MS = 10_000;

/** Takes images of the running flow and of an order form; in a language other than the first, only of the form. */
async function picture(browser: Browser, url: string, language: string): Promise<void> {
	const suffix = language === 'en-US' ? '' : `-${language}`;
	const page = await browser.newPage({ viewport: SIZE });
	await page.addInitScript(`localStorage.setItem('editor-language', ${JSON.stringify(language)})`);
	await page.goto(url);
	await page.waitForSelector('.red-ui-flow-node');
	await page.waitForTimeout(AT_WORK_MS);
	if (suffix === '') await page.screenshot({ path: join(images, 'flow.png') });
	await page.evaluate(`RED.editor.edit(RED.nodes.node('demo-order'))`);
	await page.locator('.red-ui-tray .partner-exchange-unit').first().waitFor();
	await page.waitForTimeout(1_000);
	await page.screenshot({ path: join(images, `form${suffix}.png`) });
	await page.close();
}

void takePictures(async (browser) => {
	const [url = 'http://127.0.0.1:1880'] = process.argv.slice(2);
	await picture(browser, url, 'en-US');
	await picture(browser, url, 'de');
});
