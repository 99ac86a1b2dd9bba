/** Pictures of the running demo, so that they stay true: start it with `npm start`, then `node --import tsx scripts/screenshots.ts`. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { images, takePictures } from './pictures/pictures';

const SIZE = { width: 1440, height: 900 };
/** Until a few orders have gone through, so that the picture shows a flow at work. */
const AT_WORK_MS = 10_000;

/** The flow at work and the form of an order; in another language the form alone. */
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
