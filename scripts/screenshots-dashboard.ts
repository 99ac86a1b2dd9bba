/** Takes the screenshot of the dashboard: `npm run build`, then `node --import tsx scripts/screenshots-dashboard.ts`. */
import { join } from 'node:path';
import { openDashboard } from '../test/support/dashboard';
import { images } from './pictures/pictures';

/** So that there are candles of half an hour. */
const TRADED_MS = 1_800_000;
/** The page reads everything every five seconds. */
const SETTLED_MS = 8_000;

async function picture(): Promise<void> {
	const { page, sandbox, close } = await openDashboard({ clock: 'virtual' });
	const press = async (name: string): Promise<void> => await page.getByRole('button', { name, exact: true }).click();
	try {
		await sandbox.advanceInSlices(TRADED_MS);
		await page.getByRole('checkbox').uncheck();
		await page.getByLabel('Type').selectOption('limit');
		await page.getByLabel('Quantity in USD').fill('250.00');
		for (const price of ['1480.00', '1475.50']) {
			await page.getByLabel('Price in NGN').fill(price);
			await press('Estimate');
			await press('Place');
			await page.getByRole('status').waitFor();
		}
		await page.getByLabel('Type').selectOption('market');
		await page.getByLabel('Quantity in USD').fill('');
		await page.getByLabel('or amount in NGN').fill('500000.00');
		await press('Estimate');
		await page.waitForTimeout(SETTLED_MS);
		await page.screenshot({ path: join(images, 'dashboard.png') });
	} finally {
		await close();
	}
}

void picture();
