/* eslint-disable max-lines -- one page in one browser: a second file would start both again */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { freePort } from '../../scripts/hosts/ports';
import { openBrowser, PAGE_TIMEOUT_MS } from '../support/browser';
import { shows } from '../support/console-page';

const hostile = '<img src=x onerror="window.broken=1">&amp;';

let sandbox: Sandbox;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let orders = 0;
const problems: string[] = [];
const addresses = new Set<string>();

beforeAll(async () => {
	browser = await openBrowser();
	sandbox = await startSandbox({ port: await freePort(), seed: 7 });
	context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
	context.setDefaultTimeout(PAGE_TIMEOUT_MS);
	context.on('request', (request) => addresses.add(new URL(request.url()).hostname));
	page = await open();
});

afterAll(async () => {
	await browser?.close();
	await sandbox?.close();
});

async function open(): Promise<Page> {
	const opened = await context.newPage();
	opened.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
	opened.on('pageerror', (error) => problems.push(error.message));
	opened.on('websocket', (socket) => addresses.add(new URL(socket.url()).hostname));
	await opened.goto(sandbox.url);
	await shows(opened, '#link', 'Live');
	return opened;
}

async function call(method: string, route: string, body?: object, key = 'sandbox-key'): Promise<Response> {
	return fetch(`${sandbox.baseUrl}${route}`, {
		method,
		headers: {
			'x-api-key': key,
			'idempotency-key': `console-${++orders}`,
			...(body ? { 'content-type': 'application/json' } : {}),
		},
		...(body ? { body: JSON.stringify(body) } : {}),
	});
}

async function place(
	order: { side: string; price: string; quantity: string; client_order_id?: string },
	key?: string,
): Promise<void> {
	const body = { pair_id: 'USD/NGN', order_type: 'limit', time_in_force: 'GTC', ...order };
	const answer = await call('POST', '/partner/exchange/orders', body, key);
	expect(answer.ok).toBe(true);
}

describe('the console page', () => {
	it('says on the console page that its money is test money', async () => {
		await shows(page, '.banner', 'Test money');
		await shows(page, '.banner', 'Nothing here is real');
	});

	it('shows an order in the book and under open orders as soon as it is placed', async () => {
		await place({ side: 'buy', price: '1234.50', quantity: '10.25', client_order_id: 'hedge-1' });
		await shows(page, '#bids', '1,234.50');
		await shows(page, '#bids', '10.25');
		await shows(page, '#records', 'hedge-1');
		await shows(page, '#balances', '12,653.63');
	});

	it('shows a trade on the tape and draws its candle', async () => {
		await place({ side: 'sell', price: '1234.50', quantity: '4.00' }, 'sandbox-key-second');
		await shows(page, '#trades', '▼ 1,234.50');
		await shows(page, '#last', '1,234.50');
		await shows(page, '#bids', '6.25');
		await shows(page, '#candle', 'C 1,234.50');
		expect(await page.locator('#chart canvas').count()).toBeGreaterThan(0);
		await page.getByRole('button', { name: '1h', exact: true }).click();
		await shows(page, '#candle', 'C 1,234.50');
	});

	it('shows markup in names and labels as plain text', async () => {
		await place({ side: 'buy', price: '1200.00', quantity: '1.00', client_order_id: hostile });
		await shows(page, '#records', hostile);
		const recipient = {
			recipient_type: 'crypto',
			currency: 'USDT',
			label: hostile,
			chain: 'tron',
			crypto_address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
		};
		expect((await call('POST', '/partner/wallets/recipients', recipient)).ok).toBe(true);
		await page.getByRole('tab', { name: /Recipients/ }).click();
		await shows(page, '#records', hostile);
		expect(await page.evaluate(() => 'broken' in window)).toBe(false);
		expect(await page.locator('#records img').count()).toBe(0);
	});

	it('moves between the tabs of the console with the arrow keys', async () => {
		await page.getByRole('tab', { name: /Recipients/ }).focus();
		await page.keyboard.press('ArrowRight');
		await shows(page, '[aria-selected=true]', 'Open orders');
		await shows(page, '#records', 'hedge-1');
	});
});

describe('its controls', () => {
	it('arms a fault from the console, which strikes as often as chosen', async () => {
		await page.locator('#fault-kind').selectOption('refuse');
		await page.getByRole('button', { name: 'Arm refuse', exact: true }).click();
		await shows(page, '#armed', 'refuse');
		await shows(page, '#armed', 'on anything, 1 more');
		expect((await call('GET', '/partner/wallets/currencies')).ok).toBe(false);
		await shows(page, '#armed', 'No fault is armed');
		await shows(page, '#requests', '503 · refuse');
	});

	it('disarms a fault with the keyboard, without losing the focus', async () => {
		await page.getByLabel('How often').selectOption('until disarmed');
		await page.getByRole('button', { name: 'Arm refuse', exact: true }).press('Enter');
		await shows(page, '#armed', 'until disarmed');
		expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Arm refuse');
		await page.getByRole('button', { name: 'Disarm refuse' }).press('Enter');
		await shows(page, '#armed', 'No fault is armed');
		expect(await page.locator(':focus').getAttribute('id')).toBe('armed');
		expect((await call('GET', '/partner/wallets/currencies')).ok).toBe(true);
	});

	it('starts a scenario for the account on the page', async () => {
		await page.getByRole('tab', { name: /Finished/ }).click();
		await page.getByRole('button', { name: 'Start Partial fill, then cancel' }).click();
		await shows(page, '#records', 'scenario');
		await shows(page, '#records', 'cancelled');
		await page.getByRole('tab', { name: /Open/ }).click();
	});

	it('stops a scenario, which restores what it had changed', async () => {
		await page.getByRole('button', { name: 'Start Slow settlement' }).click();
		await shows(page, '#scenarios', 'Running, step 2');
		expect(sandbox.engine.state.scenarios).toMatchObject([{ effects: { orderDelayMs: 5_000 } }]);
		await page.getByRole('button', { name: 'Stop Slow settlement' }).click();
		await page.getByRole('button', { name: 'Start Slow settlement' }).waitFor();
		expect(sandbox.engine.state.scenarios).toEqual([]);
	});

	it('shows the connected clients and their positions, and never strikes the page itself', async () => {
		const client = new WebSocket(`${sandbox.wsUrl}?token=sandbox-key`);
		client.onopen = () => client.send(JSON.stringify({ type: 'subscribe', topics: ['user.orders'] }));
		await shows(page, '#clients', 'user.orders');
		await shows(page, '#clients', 'Console page');
		const gone = new Promise((resolve) => (client.onclose = resolve));
		await page.getByLabel('How often').selectOption('once');
		await page.locator('#fault-kind').selectOption('drop-stream');
		await page.getByRole('button', { name: 'Arm drop-stream' }).click();
		await gone;
		await shows(page, '#armed', 'No fault is armed');
		await shows(page, '#link', 'Live');
		await shows(page, '#clients-count', '1');
	});

	it('places an order from the ticket, shows its result, and cancels it', async () => {
		await page.getByLabel('Quantity', { exact: true }).fill('2.00');
		await page.getByLabel('Price', { exact: true }).fill('1111.00');
		await page.getByLabel('Client order id').fill('by-hand');
		await page.getByRole('button', { name: 'Place order' }).click();
		await shows(page, '#records', 'by-hand');
		await page.getByRole('button', { name: 'Cancel order by-hand' }).click();
		await page.getByRole('tab', { name: /Finished/ }).click();
		await shows(page, '#records', 'Cancelled on request.');
		await page.getByRole('tab', { name: /Open/ }).click();
	});

	it('deposits to the account on the page', async () => {
		await page.getByLabel('Amount').fill('77.00');
		await page.getByRole('button', { name: 'Book' }).click();
		await page.getByRole('tab', { name: /Transactions/ }).click();
		await shows(page, '#records', '77.00');
		await page.getByRole('tab', { name: /Open/ }).click();
	});

	it('opens a request with its bodies and the fault that struck it', async () => {
		await page.locator('#fault-kind').selectOption('too-many-requests');
		await page.getByLabel('How often').selectOption('once');
		await page.getByLabel('Retry-After').fill('17');
		await page.getByRole('button', { name: 'Arm too-many-requests' }).click();
		await shows(page, '#armed', 'too-many-requests');
		await page.getByLabel('Retry-After').fill('');
		await call('GET', '/partner/wallets/currencies');
		await shows(page, '#requests', '429 · too-many-requests');
		await page.locator('#requests tr', { hasText: '429' }).getByRole('button').click();
		await shows(page, '#request-rule', 'retryAfter 17');
		await shows(page, '#request-answer', 'Too many requests');
		await page.getByRole('button', { name: 'Close' }).click();
	});

	it('halts and resumes the market, and changes a setting', async () => {
		await page.getByRole('button', { name: 'Halt trading' }).click();
		await shows(page, '#pair', 'halted');
		await page.getByRole('button', { name: 'Resume trading' }).click();
		await page.getByLabel('Orders take, ms').fill('30');
		await page.getByLabel('Orders take, ms').press('Tab');
		await shows(page, '#notice', 'Orders take, ms: 30');
		expect(sandbox.engine.state.settings.orderDelayMs).toBe(30);
	});

	it('reaches every control with the keyboard without a tab stop for each fault', async () => {
		expect(await page.getByRole('button', { name: /^Arm / }).count()).toBe(1);
	});

	it('copies addresses and keys', async () => {
		await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: sandbox.url });
		await page.getByRole('button', { name: 'Copy the service address' }).click();
		await shows(page, '#notice', 'Copied the service address');
		expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(sandbox.baseUrl);
		await page.getByRole('button', { name: 'Copy key sandbox-key', exact: true }).click();
		await shows(page, '#notice', 'Copied key sandbox-key');
		expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('sandbox-key');
	});

	it('resets only after a second confirmation', async () => {
		await page.getByRole('button', { name: 'Reset…' }).click();
		await page.getByRole('button', { name: 'Keep everything' }).click();
		await shows(page, '#records', 'hedge-1');
		await page.getByRole('button', { name: 'Reset…' }).click();
		await page.getByRole('button', { name: 'Reset', exact: true }).click();
		await shows(page, '#records', 'No open order');
		await shows(page, '#middle', 'The book is empty');
		await shows(page, '#trades', 'No trade yet');
	});
});

describe('its look', () => {
	const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

	it('follows the dark theme of the system unless a theme was chosen', async () => {
		const light = await background();
		await page.emulateMedia({ colorScheme: 'dark' });
		const dark = await background();
		expect(dark).not.toBe(light);
		await page.getByRole('button', { name: 'Theme: auto' }).click();
		expect(await background()).toBe(light);
		await page.getByRole('button', { name: 'Theme: light' }).click();
		await page.emulateMedia({ colorScheme: 'light' });
		expect(await background()).toBe(dark);
		await page.getByRole('button', { name: 'Theme: dark' }).click();
	});

	it('fits a telephone without sideways scrolling', async () => {
		await page.setViewportSize({ width: 400, height: 800 });
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
		await page.setViewportSize({ width: 1280, height: 900 });
	});
});

describe('its manners', () => {
	it('loads nothing from another host, runs no inline script and reports no error', async () => {
		const policy = (await fetch(sandbox.url)).headers.get('content-security-policy');
		expect(policy).toContain("script-src 'self'");
		expect(policy).not.toContain('unsafe');
		expect([...addresses]).toEqual(['127.0.0.1']);
		expect(problems).toEqual([]);
	});

	it('gives pages of other origins no way to use the sandbox', async () => {
		const foreign = createServer((_request, answer) =>
			answer.setHeader('content-type', 'text/html').end('<p>elsewhere'),
		);
		await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
		const elsewhere = await context.newPage();
		await elsewhere.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}`);
		await place({ side: 'buy', price: '1100.00', quantity: '1.00', client_order_id: 'stays' });
		const reached = await elsewhere.evaluate(
			async ({ url, wsUrl }) => {
				const read = await fetch(`${url}/_sandbox/state`).then(
					() => 'state',
					() => null,
				);
				// Sent without a preflight request, as a form would be: only the server itself can refuse it.
				await fetch(`${url}/_sandbox/reset`, { method: 'POST', mode: 'no-cors', body: '{}' }).catch(() => null);
				const socket = new WebSocket(`${wsUrl}?token=sandbox-key`);
				const stream = await new Promise((resolve) => {
					socket.onopen = () => resolve('stream');
					socket.onerror = () => resolve(null);
				});
				return [read, stream].filter((way) => way !== null);
			},
			{ url: sandbox.url, wsUrl: sandbox.wsUrl },
		);
		await elsewhere.close();
		await new Promise((resolve) => foreign.close(resolve));
		expect(reached).toEqual([]);
		expect(sandbox.engine.state.orders.size).toBe(1);
	});

	it('says when the sandbox is away, and is live again when it is back', async () => {
		const port = Number(new URL(sandbox.baseUrl).port);
		await sandbox.close();
		await shows(page, '#link', 'Reconnecting');
		await shows(page, '#trouble', 'again in');
		sandbox = await startSandbox({ port, seed: 7 });
		await shows(page, '#link', 'Live');
		await page.locator('#trouble').waitFor({ state: 'hidden' });
	});
});
