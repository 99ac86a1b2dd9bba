/** The console page, opened in a browser beside a sandbox in which only the test acts. */
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { freePort } from '../../scripts/hosts/ports';
import { openBrowser, PAGE_TIMEOUT_MS } from '../../scripts/hosts/browser';

interface Order {
	side: string;
	price: string;
	quantity: string;
	client_order_id?: string;
}

export interface Console {
	sandbox: Sandbox;
	context: BrowserContext;
	page: Page;
	/** What the page reported as an error or a warning. */
	problems: string[];
	/** Every host the page sent a request to. */
	addresses: Set<string>;
	call(method: string, route: string, body?: object, key?: string): Promise<Response>;
	place(order: Order, key?: string): Promise<void>;
	close(): Promise<void>;
}

let browser: Promise<Browser> | undefined;
/** One for all tests of the console; whoever opened it first closes it. */
export const commonBrowser = async (): Promise<Browser> => await (browser ??= openBrowser());
export const closeBrowser = async (): Promise<void> => await (await browser)?.close();

export async function openConsole(): Promise<Console> {
	const sandbox = await startSandbox({ port: await freePort(), seed: 7 });
	const context = await (
		await commonBrowser()
	).newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
	context.setDefaultTimeout(PAGE_TIMEOUT_MS);
	const problems: string[] = [];
	const addresses = new Set<string>();
	context.on('request', (request) => addresses.add(new URL(request.url()).hostname));
	const page = await context.newPage();
	page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
	page.on('pageerror', (error) => problems.push(error.message));
	page.on('websocket', (socket) => addresses.add(new URL(socket.url()).hostname));
	await page.goto(sandbox.url);
	await shows(page, '#link', 'Live');

	let calls = 0;
	const call: Console['call'] = async (method, route, body, key = 'sandbox-key') =>
		await fetch(`${sandbox.baseUrl}${route}`, {
			method,
			headers: {
				'x-api-key': key,
				'idempotency-key': `console-${++calls}`,
				...(body ? { 'content-type': 'application/json' } : {}),
			},
			...(body ? { body: JSON.stringify(body) } : {}),
		});
	return {
		...{ sandbox, context, page, problems, addresses, call },
		place: async (order, key) => {
			const body = { pair_id: 'USD/NGN', order_type: 'limit', time_in_force: 'GTC', ...order };
			const answer = await call('POST', '/partner/exchange/orders', body, key);
			expect(answer.ok).toBe(true);
		},
		close: async () => {
			await context.close();
			await sandbox.close();
		},
	};
}

/** Waits until an element's text contains another. */
export async function shows(on: Page, selector: string, text: string): Promise<void> {
	const find = ([at, wanted]: string[]) => document.querySelector(at ?? '')?.textContent?.includes(wanted ?? '');
	await on.waitForFunction(find, [selector, text]).catch(async () => {
		const instead = await on.locator(selector).first().textContent();
		throw new Error(`Expected "${text}" in ${selector}, found "${instead}".`);
	});
}
