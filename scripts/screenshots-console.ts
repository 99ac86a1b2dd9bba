/**
 * Takes the screenshots of the sandbox console: `npm run build`, then `node --import tsx
 * scripts/screenshots-console.ts`.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import type { Browser } from 'playwright-core';
import { images, takePictures } from './pictures/pictures';

const SIZE = { width: 1440, height: 900 };
/** The page polls the state every second or two. */
const SETTLED_MS = 2_000;

/** Starts from the seeded market after half an hour, at the usual port, so that images differ only in ids. */
async function pictures(browser: Browser): Promise<void> {
	const sandbox = await startSandbox({ port: 4010, seed: 7, clock: 'virtual' });
	try {
		await enliven(sandbox);
		for (const colorScheme of ['light', 'dark'] as const) {
			const page = await browser.newPage({ viewport: SIZE, colorScheme });
			await page.goto(sandbox.url);
			await page.locator('#link[data-state=live]').waitFor();
			await page.locator('#trades .up').first().waitFor();
			await page.waitForTimeout(SETTLED_MS);
			await page.screenshot({ path: join(images, `console-${colorScheme}.png`), fullPage: true });
			await page.close();
		}
	} finally {
		await sandbox.close();
	}
}

/** Creates resting orders, a filled one and an armed fault. */
async function enliven(sandbox: Sandbox): Promise<void> {
	await sandbox.advanceInSlices(1_800_000);
	const order = { side: 'buy', order_type: 'limit', time_in_force: 'GTC', quantity: '500.00', pair_id: 'USD/NGN' };
	await send(sandbox, { ...order, price: '1400.00', client_order_id: 'hedge-2026-01' });
	await send(sandbox, { ...order, price: '1700.00', side: 'sell', client_order_id: 'payroll-hedge' });
	await send(sandbox, { side: 'buy', order_type: 'market', quantity: '120.00', pair_id: 'USD/NGN' });
	sandbox.advance(100);
	sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create', times: 3 });
}

async function send({ baseUrl }: Sandbox, order: Record<string, string>): Promise<void> {
	const headers = { 'x-api-key': 'sandbox-key', 'content-type': 'application/json', 'idempotency-key': randomUUID() };
	const body = JSON.stringify(order);
	const answer = await fetch(`${baseUrl}/partner/exchange/orders`, { method: 'POST', headers, body });
	if (!answer.ok) throw new Error(`The order of the picture was refused: ${await answer.text()}`);
}

void takePictures(pictures);
