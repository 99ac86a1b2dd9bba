/** Takes the screenshots of the running demo: `npm start`, then `node --import tsx scripts/screenshots.ts`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { jobs } from '../test/support/jobs';
import { root } from './hosts/demo';
import { images, takePictures } from './pictures/pictures';

const SIZE = { width: 1440, height: 900 };
/** Wait until a few orders have been placed, so that the image shows a running flow. */
const AT_WORK_MS = 10_000;
/** The canvas draws a moment after an import. */
const SETTLE_MS = 1_000;

/** Around a flow in its image. */
const MARGIN = 20;
/** What only tells that the flow was imported just now. */
const OF_IMPORT = '#red-ui-notifications, .red-ui-flow-node-changed { display: none !important; }';
const WIDE = { width: 1900, height: 900 };

/** Takes an image of each whole job, imported as a person would, beside the running demo. Nothing of it is deployed. */
async function pictureJobs(browser: Browser, url: string): Promise<void> {
	const page = await browser.newPage({ viewport: WIDE });
	await page.addInitScript(`localStorage.setItem('editor-language', 'en-US')`);
	await page.goto(url);
	await page.waitForSelector('.red-ui-flow-node');
	await page.addStyleTag({ content: OF_IMPORT });
	for (const job of jobs) {
		const flow = await readFile(join(root, 'packages/node-red/examples/jobs', `${job}.json`), 'utf8');
		const nodes = JSON.parse(flow) as { id: string }[];
		await page.evaluate(`RED.view.importNodes(${flow}, { addFlow: false, generateIds: false })`);
		await page.evaluate(`RED.workspaces.show(${JSON.stringify(nodes[0]!.id)}); RED.view.select({ nodes: [] })`);
		await page.locator('.red-ui-flow-node').first().waitFor();
		await page.waitForTimeout(SETTLE_MS);
		const chart = (await page.locator('#red-ui-workspace-chart').boundingBox())!;
		const parts = page.locator('.red-ui-flow-node');
		const ends = await parts.evaluateAll((all: Element[]) =>
			all.map((element) => element.getBoundingClientRect()).map(({ right, bottom }) => ({ right, bottom })),
		);
		const width = Math.max(...ends.map(({ right }) => right)) - chart.x + MARGIN;
		const height = Math.max(...ends.map(({ bottom }) => bottom)) - chart.y + MARGIN;
		const clip = { x: chart.x, y: chart.y, width, height };
		await page.screenshot({ path: join(images, 'examples', `node-red-${job}.png`), clip });
	}
	await page.close();
}

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
	await pictureJobs(browser, url);
	await picture(browser, url, 'en-US');
	await picture(browser, url, 'de');
});
