/**
 * Takes the screenshots of the running demo: `npm run start:n8n`, then `node --import tsx scripts/screenshots-n8n.ts`.
 * Other addresses of n8n and the sandbox, and the name of one group of pictures, may follow.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { environments } from '@partner-exchange/core/catalogue';
import { signIn } from './hosts/n8n-editor';
import { makeFill } from '../test/support/fills';
import { jobs } from '../test/support/jobs';
import { animate } from './pictures/apng';
import { images, takePictures } from './pictures/pictures';

const SIZE = { width: 1280, height: 800 };
const WIDE = { width: 1440, height: 640 };
const FRAME_MS = 1_800;
/** The editor's own buttons and messages, in a picture of a workflow. */
const HIDDEN_ON_CANVAS =
	'.el-notification, [data-test-id=tab-bar-container], .tab-bar-container, [class*=nodeButtonsWrapper], [data-test-id=execute-workflow-button], .vue-flow__panel { visibility: hidden !important }';
/** Wait for the editor's menus, which slide in. */
const STILL_MS = 1_200;

const examples = join(__dirname, '..', 'examples', 'n8n');

/** Builds the fill alert on an empty canvas as a new user would, up to the first fill. */
async function fillAlert(page: Page, url: string): Promise<void> {
	const frames: Buffer[] = [];
	const frame = async (): Promise<void> => {
		await page.waitForTimeout(STILL_MS);
		frames.push(await page.screenshot());
	};
	await page.goto(`${url}/workflow/new`);
	await page.locator('[data-test-id=canvas-add-button]').click();
	const search = page.locator('[data-test-id=node-creator] input').first();
	await search.fill('fill');
	await frame();
	await page.locator('[data-test-id=item-iterator-item]', { hasText: 'Partner Exchange' }).first().click();
	await frame();
	await page.getByText('On fills', { exact: true }).click();
	await page.getByText('Test this trigger').waitFor();
	await frame();
	await page.getByText('Test this trigger').click();
	await page.getByText('Node executed successfully').waitFor();
	await frame();
	await closeForm(page);
	await page.locator('[data-test-id=canvas-handle-plus]').first().click();
	await search.fill('edit fields');
	await page.locator('[data-test-id=item-iterator-item]', { hasText: 'Edit Fields' }).first().click();
	await page.getByText('Drag input fields here').waitFor();
	await frame();
	await closeForm(page);
	await page.locator('[data-test-id=zoom-to-fit]').click();
	await frame();
	await writeFile(join(images, 'n8n-fill-alert.png'), animate(frames, FRAME_MS));
}

/** Places an order by hand and shows its result. */
async function orderForm(page: Page, url: string): Promise<void> {
	await page.goto(`${url}/workflow/new`);
	await page.locator('[data-test-id=canvas-add-button]').click();
	const search = page.locator('[data-test-id=node-creator] input').first();
	await search.fill('manual');
	await page.getByText('Manual Trigger').first().click();
	await page.locator('[data-test-id=canvas-handle-plus]').first().click();
	await search.fill('order');
	await page.locator('[data-test-id=item-iterator-item]', { hasText: 'Partner Exchange' }).first().click();
	await page.waitForTimeout(STILL_MS);
	await page.screenshot({ path: join(images, 'n8n-actions.png') });
	await page.getByText('Create order', { exact: true }).click();
	await page.locator('[data-test-id=parameter-input-quantity]').waitFor();
	await page.waitForTimeout(STILL_MS);
	await page.locator('[data-test-id=rlc-input]').last().click();
	await page.locator('[data-test-id=rlc-item]').first().click();
	await choose(page, 'side', 'Buy');
	await choose(page, 'order_type', 'Limit');
	await page.locator('[data-test-id=parameter-input-quantity] input').fill('10.00');
	await page.locator('[data-test-id=parameter-input-price] input').fill('1450.00');
	await page.getByText('Execute step').first().click();
	await page.getByText('Node executed successfully').waitFor();
	await page.waitForTimeout(STILL_MS);
	await page.screenshot({ path: join(images, 'n8n-form.png') });
}

async function choose(page: Page, name: string, value: string): Promise<void> {
	await page.locator(`[data-test-id=parameter-input-${name}]`).click();
	await page.locator('[role=option]', { hasText: value }).locator('visible=true').click();
}

/** Imports each whole job from its file, as the menu does, and shows its canvas. */
async function wholeJobs(page: Page, url: string): Promise<void> {
	await mkdir(join(images, 'examples'), { recursive: true });
	await page.setViewportSize(WIDE);
	for (const job of jobs) {
		await page.goto(`${url}/workflow/new`);
		await page.locator('[data-test-id=canvas-add-button]').waitFor();
		await page.locator('[data-test-id=workflow-menu]').click();
		await page.getByText('Import', { exact: true }).hover();
		const [chooser] = await Promise.all([
			page.waitForEvent('filechooser'),
			page.getByText('From file', { exact: true }).click(),
		]);
		await chooser.setFiles(join(examples, `${job}.json`));
		await page.locator('[data-test-id=canvas-node]').first().waitFor();
		await page.addStyleTag({ content: HIDDEN_ON_CANVAS });
		// What was imported is selected.
		await page.locator('[data-test-id=canvas]').click({ position: { x: 4, y: 200 } });
		await page.locator('[data-test-id=zoom-to-fit]').dispatchEvent('click');
		await page.waitForTimeout(STILL_MS);
		await page.locator('[data-test-id=canvas]').screenshot({ path: join(images, 'examples', `${job}.png`) });
	}
	await page.setViewportSize(SIZE);
}

async function closeForm(page: Page): Promise<void> {
	await page.keyboard.press('Escape');
	await page.locator('[data-test-id=ndv]').waitFor({ state: 'hidden' });
}

void takePictures(async (browser) => {
	const [url = 'http://127.0.0.1:5678', baseUrl = environments.sandbox.baseUrl, only = ''] = process.argv.slice(2);
	// The demo trades on another account, so the reader's has no fill yet that a test of the trigger could show.
	await makeFill({ baseUrl });
	const page = await browser.newPage({ viewport: SIZE });
	await signIn(page, url);
	const takes = { fillAlert, orderForm, wholeJobs };
	for (const [name, take] of Object.entries(takes)) if (only === '' || name === only) await take(page, url);
});
