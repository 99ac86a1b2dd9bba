import { createServer } from 'node:http';
import { startSandbox } from '@partner-exchange/sandbox';
import { openPort } from '../support/loopback';
import { compare, difference, grouped, runningTotals, shares } from '../../packages/sandbox/console/decimal';
import { openConsole, shows, type Console } from '../support/console-page';
import { forAll } from '../support/opened';

const hostile = '<img src=x onerror="window.broken=1">&amp;';

const stage = forAll(() => openConsole());
let { page, sandbox, context, call, place }: Console = {} as Console;
beforeAll(() => ({ page, sandbox, context, call, place } = stage));

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
});

describe('the look of the console page', () => {
	const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

	it('follows the dark theme of the system', async () => {
		const light = await background();
		await page.emulateMedia({ colorScheme: 'dark' });
		expect(await background()).not.toBe(light);
		await page.emulateMedia({ colorScheme: 'light' });
		expect(await background()).toBe(light);
	});

	it('fits a telephone without sideways scrolling', async () => {
		await page.setViewportSize({ width: 400, height: 800 });
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
		await page.setViewportSize({ width: 1280, height: 900 });
	});
});

describe('the manners of the console page', () => {
	it('loads nothing from another host, runs no inline script and reports no error', async () => {
		const policy = (await fetch(sandbox.url)).headers.get('content-security-policy');
		expect(policy).toContain("script-src 'self'");
		expect(policy).not.toContain('unsafe');
		expect([...stage.addresses]).toEqual(['127.0.0.1']);
		expect(stage.problems).toEqual([]);
	});

	it('gives pages of other origins no way to use the sandbox', async () => {
		const foreign = createServer((_request, answer) =>
			answer.setHeader('content-type', 'text/html').end('<p>elsewhere'),
		);
		const port = await openPort(foreign);
		const elsewhere = await context.newPage();
		await elsewhere.goto(`http://127.0.0.1:${port}`);
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
		expect([...sandbox.engine.state.orders.values()].map((order) => order.clientOrderId)).toContain('stays');
	});

	it('says when the sandbox is away, and is live again when it is back', async () => {
		const port = Number(new URL(sandbox.baseUrl).port);
		await sandbox.close();
		await shows(page, '#link', 'Reconnecting');
		await shows(page, '#trouble', 'again in');
		const again = await startSandbox({ port, seed: 7 });
		await shows(page, '#link', 'Live');
		await page.locator('#trouble').waitFor({ state: 'hidden' });
		await again.close();
	});
});

describe('amounts on the console page', () => {
	it('adds thousands separators to an amount without making it a number', () => {
		expect(grouped('123456789012345678901234567890.10')).toBe('123,456,789,012,345,678,901,234,567,890.10');
		expect(grouped('-1234')).toBe('-1,234');
		expect(grouped('0.0012345')).toBe('0.0012345');
		expect(grouped('1e21')).toBe('1e21');
	});

	it('adds, subtracts and compares amounts exactly', () => {
		expect(runningTotals(['0.1', '0.20', '9007199254740993'])).toEqual(['0.10', '0.30', '9007199254740993.30']);
		expect(difference('1.5', '1.625')).toBe('-0.125');
		expect(['10', '9.99', '10.00'].sort(compare)).toEqual(['9.99', '10', '10.00']);
		expect(shares(['1', '3'], '3')).toEqual([33.3, 100]);
	});
});
