/** The example of a dashboard in a real Node-RED, beside the sandbox, and its page in a real browser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, PAGE_TIMEOUT_MS } from '../../scripts/hosts/browser';
import { cachedPackage } from '../../scripts/hosts/cached-package';
import { account, openBench, type Bench } from '../node-red/flows';
import type { FlowNode } from './node-red';

/** The dashboard is no development dependency: every Node-RED of the tests would load it. */
const DASHBOARD = ['@flowfuse/node-red-dashboard', '1.31.0'] as const;
const example = join(__dirname, '../../examples/node-red/dashboard.json');

export interface DashboardBench extends Bench {
	page: Page;
}

export async function openDashboard(options: Parameters<typeof openBench>[0] = {}): Promise<DashboardBench> {
	const nodesDir = [join(__dirname, 'node-red-tap'), await cachedPackage(...DASHBOARD)];
	const bench = await openBench(
		{ marketMaker: true, settings: { orderDelayMs: 0 }, ...options },
		{ settings: { nodesDir } },
	);
	let browser: Browser | undefined;
	const close = async (): Promise<void> => {
		await browser?.close();
		await bench.close();
	};
	try {
		const flow = JSON.parse(readFileSync(example, 'utf8')) as FlowNode[];
		const assigned = flow.map((node) => (node.account === '' ? { ...node, account: 'account-one' } : node));
		await bench.nodeRed.deploy([account(bench.sandbox), ...assigned]);
		browser = await openBrowser();
		const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
		page.setDefaultTimeout(PAGE_TIMEOUT_MS);
		await page.goto(`${bench.nodeRed.url}/dashboard/desk`);
		return { ...bench, close, page };
	} catch (error) {
		await close();
		throw error;
	}
}
