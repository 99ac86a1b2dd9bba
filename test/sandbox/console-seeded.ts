import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AxeResults, ElementContext } from 'axe-core';
import type { Page } from 'playwright-core';
import { freePort } from '../../scripts/hosts/ports';
import { startSandbox, type SandboxHost } from '../../scripts/hosts/sandbox';
import { PAGE_TIMEOUT_MS } from '../../scripts/hosts/browser';
import { commonBrowser, shows } from '../support/console-page';

/** The console of the sandbox as shipped, on a seeded market whose clock stands still until it is moved. */

let sandbox: SandboxHost;
let page: Page;

beforeAll(async () => {
	const root = join(__dirname, '..', '..');
	sandbox = await startSandbox({ root, port: await freePort(), flags: ['--seed', '7', '--clock', 'virtual'] });
	page = await (await commonBrowser()).newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
	page.setDefaultTimeout(PAGE_TIMEOUT_MS);
	await page.goto(sandbox.url);
	await shows(page, '#link', 'Live');
});

afterAll(async () => {
	await page?.close();
	await sandbox?.child.stop();
});

/** The response of the sandbox's control. */
async function control(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
	const headers = { 'content-type': 'application/json' };
	const input = { method, headers, ...(body && { body: JSON.stringify(body) }) };
	const answer = await fetch(`${sandbox.url}/_sandbox/${path}`, input);
	expect(answer.status).toBe(200);
	return (await answer.json()) as Record<string, unknown>;
}

const advance = async (ms: number) => await control('POST', 'clock', { advance_ms: ms });

const tab = (name: RegExp) => page.getByRole('tab', { name }).click();

async function order(fields: { quantity: string; price?: string; side?: string; name?: string }): Promise<void> {
	await page.getByLabel('Side').selectOption(fields.side ?? 'buy');
	await page.locator('#ticket-type').selectOption(fields.price ? 'limit' : 'market');
	await page.getByLabel('Quantity, USD').fill(fields.quantity);
	if (fields.price) await page.getByLabel('Price, NGN for each USD').fill(fields.price);
	await page.getByLabel('Client order id').fill(fields.name ?? '');
	await page.getByRole('button', { name: 'Place order' }).click();
}

describe('with the keyboard', () => {
	/** Everything Tab stops at, from the top of the page to its end. */
	async function stops(): Promise<string[]> {
		await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
		const matches: string[] = [];
		for (let press = 0; press < 200; press++) {
			await page.keyboard.press('Tab');
			const stop = await page.evaluate(() => {
				const { id, tagName, textContent, ariaLabel, className } = document.activeElement ?? document.body;
				return id || ariaLabel || className || `${tagName} ${(textContent ?? '').trim()}`;
			});
			if (stop.startsWith('BODY') || (matches.length > 1 && stop === matches[0])) return matches;
			matches.push(stop);
		}
		throw new Error(`Tab came to no end: ${matches.join(', ')}.`);
	}

	it('reaches records, ticket, faults and requests with a few tab stops, in this order', async () => {
		const matches = await stops();
		const places = ['skip', 'reset', 'account', 'tab-open', 'records', 'ticket-side', 'ticket-place', 'money-send'];
		places.push('fault-kind', 'fault-arm', 'scenarios', 'market-halt', 'clients', 'requests-title');
		const named = matches.map((stop) => (stop === 'scroll' ? 'requests-title' : stop));
		const at = places.map((place) => [place, named.lastIndexOf(place)]);
		expect(at).toEqual([...at].sort(([, name], [, other]) => Number(name) - Number(other)));
		expect(at.filter(([, index]) => Number(index) < 0)).toEqual([]);
		expect(matches.indexOf('records')).toBeLessThan(25);
		expect(matches.indexOf('ticket-side')).toBeLessThan(25);
		expect(matches.filter((stop) => stop === 'fault-arm' || stop.startsWith('Arm '))).toHaveLength(1);
	});

	it('places an order with the keyboard alone', async () => {
		await page.locator('#ticket-side').focus();
		for (const keys of ['Tab', 'Tab', '3.00', 'Tab', '1000.00', 'Tab', 'Tab', 'by-keys', 'Enter'])
			if (['Tab', 'Enter'].includes(keys)) await page.keyboard.press(keys);
			else await page.keyboard.type(keys);
		await shows(page, '#records', 'by-keys');
	});
});

describe('its panels', () => {
	it('places a market order and shows its average price among the finished orders', async () => {
		await page.locator('#ticket-type').selectOption('market');
		expect(await page.getByLabel('Price, NGN for each USD').isDisabled()).toBe(true);
		await order({ quantity: '2.00', name: 'at-market' });
		await shows(page, '#notice', 'Sent');
		await advance(10);
		await tab(/Finished/);
		const row = page.locator('#records tr', { hasText: 'at-market' });
		await row.waitFor();
		expect((await row.locator('td').allTextContents()).slice(2, 8)).toEqual([
			...['buy', 'market', 'market', '2.00', '2.00'],
			expect.stringMatching(/^1,\d{3}\.\d{2,}$/),
		]);
	});

	it('arms a fault with every parameter there is', async () => {
		await page.locator('#fault-kind').selectOption('too-many-requests');
		await page.getByLabel('Operation').selectOption('order.create');
		await page.getByLabel('Route').selectOption('POST /partner/exchange/orders');
		await page.locator('#fault-key').selectOption('sandbox-key');
		await page.getByLabel('How often').selectOption('3 times');
		const texts = { 'Passes first': '2', Topic: 'user.fills', 'Idempotency key': 'mine', 'Delay, ms': '250' };
		for (const [label, text] of Object.entries({ ...texts, 'Retry-After': '9' }))
			await page.getByLabel(label, { exact: true }).fill(text);
		await page.getByRole('button', { name: 'Arm too-many-requests' }).click();
		await shows(page, '#armed', 'with sandbox-key of mine after 2, 3 more, not struck yet');
		expect((await control('GET', 'faults')).armed).toMatchObject([
			{
				...{ kind: 'too-many-requests', operation: 'order.create', route: 'POST /partner/exchange/orders' },
				...{ apiKey: 'sandbox-key', idempotencyKey: 'mine', topic: 'user.fills' },
				...{ times: 3, after: 2, delayMs: 250, retryAfter: '9' },
			},
		]);
	});

	it('pages through all finished orders', async () => {
		const headers = { 'x-api-key': 'sandbox-key', 'content-type': 'application/json' };
		const tiny = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', time_in_force: 'IOC' };
		const body = JSON.stringify({ ...tiny, price: '1000.00', quantity: '1.00' });
		for (let index = 0; index < 55; index++) {
			const input = { method: 'POST', body, headers: { ...headers, 'idempotency-key': `page-${index}` } };
			expect((await fetch(`${sandbox.baseUrl}/partner/exchange/orders`, input)).ok).toBe(true);
		}
		await advance(1_000);
		await tab(/Finished/);
		await page.getByRole('button', { name: 'Older' }).click();
		await shows(page, '#page', '51 to 56 of 56');
		await shows(page, '#records', 'at-market');
		await page.getByRole('button', { name: 'Newest' }).click();
		await shows(page, '#page', '1 to 50 of 56');
		await page.getByLabel('Account shown').selectOption('second@sandbox.test');
		await shows(page, '#records', 'No finished order yet');
		expect(await page.locator('#paging').isVisible()).toBe(false);
		await page.getByLabel('Account shown').selectOption('trader@sandbox.test');
		await shows(page, '#records', 'cancelled');
	});
});

describe('its accessibility', () => {
	/** The violations axe-core finds in a part of the page, or in all of it. */
	async function violations(part: string | null): Promise<string[]> {
		const run = (selector: string | null) => {
			const { axe } = window as unknown as { axe: { run(context: ElementContext): Promise<AxeResults> } };
			return axe
				.run(selector ?? document)
				.then((match) =>
					match.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
				);
		};
		return await page.evaluate(run, part);
	}

	beforeAll(async () => {
		await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
		await tab(/Open/);
	});

	it('finds a button without a name with axe-core', async () => {
		// A picture of its own, which the page does not draw again meanwhile.
		await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<p id="spoilt"><button></button></p>'));
		const found = await violations('#spoilt');
		await page.evaluate(() => document.querySelector('#spoilt')!.remove());
		expect(found).toEqual(['button-name: #spoilt > button']);
	});

	it.each([
		['light', 1440],
		['dark', 400],
	] as const)('passes axe-core in %s at %d pixels: page, tabs and dialogs', async (colorScheme, width) => {
		await page.emulateMedia({ colorScheme });
		await page.setViewportSize({ width, height: 900 });
		const matches: Record<string, string[]> = { page: await violations(null) };
		for (const each of ['recent', 'transactions', 'recipients', 'open']) {
			await page.locator(`#tab-${each}`).click();
			matches[each] = await violations('.account');
		}
		await page.getByRole('button', { name: 'Reset…' }).click();
		matches.reset = await violations('#reset-dialog');
		await page.getByRole('button', { name: 'Keep everything' }).click();
		await page.locator('#requests button').first().click();
		await page.locator('#request-dialog[open]').waitFor();
		matches.request = await violations('#request-dialog');
		await page.getByRole('button', { name: 'Close' }).click();
		expect(matches).toEqual(Object.fromEntries(Object.keys(matches).map((part) => [part, []])));
	});
});
