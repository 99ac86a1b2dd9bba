/** Node-RED's editor in a real browser, on deployed flows. */
import type { Page } from 'playwright-core';
import { openBrowser, PAGE_TIMEOUT_MS } from '../support/browser';
import type { FlowNode } from '../support/node-red';
import { account, openBench, tab, type Bench } from './flows';

export interface Editor extends Bench {
	page: Page;
	/** The errors the page reported. */
	problems: string[];
}

interface EditorOptions {
	viewport: { width: number; height: number };
	language?: string;
}

/** Deploys an account and these nodes, and opens the editor on them. */
export async function openEditor(
	nodes: readonly FlowNode[],
	options: EditorOptions,
	sandbox?: Parameters<typeof openBench>[0],
): Promise<Editor> {
	const [bench, browser] = await Promise.all([openBench(sandbox), openBrowser()]);
	await bench.nodeRed.deploy([tab, account(bench.sandbox), ...nodes]);
	const page = await browser.newPage({ viewport: options.viewport });
	page.setDefaultTimeout(PAGE_TIMEOUT_MS);
	const problems: string[] = [];
	page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
	page.on('pageerror', (error) => problems.push(error.message));
	const language = JSON.stringify(options.language ?? 'en-US');
	await page.addInitScript(`localStorage.setItem('editor-language', ${language})`);
	await page.goto(bench.nodeRed.url);
	await page.waitForSelector('.red-ui-flow-node');
	const close = async (): Promise<void> => {
		await browser.close();
		await bench.close();
	};
	return { ...bench, page, problems, close };
}
