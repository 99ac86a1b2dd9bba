/** n8n's editor in a browser, for tests and screenshots. */
import type { Page } from 'playwright-core';
import { OWNER } from './n8n';

export async function signIn(page: Page, url: string): Promise<void> {
	await page.goto(url);
	await page.locator('input[type=email], input[name=emailOrLdapLoginId]').first().fill(OWNER.email);
	await page.locator('input[type=password]').first().fill(OWNER.password);
	await page.locator('[data-test-id=form-submit-button]').first().click();
	await page.waitForURL(/home/);
}
