/** Node-RED's editor in a real browser, on deployed flows. */
import type { BrowserContext, Page } from 'playwright-core';
import { openBrowser, PAGE_TIMEOUT_MS } from '../../scripts/hosts/browser';
import { until } from '../support/condition';
import type { FlowNode } from '../support/node-red';
import { openCommonBench } from './common-bench';
import { account, tab, type Bench } from './flows';

export interface Editor extends Bench {
	page: Page;
	/** The errors the page reported. */
	problems: string[];
}

interface EditorOptions {
	viewport: { width: number; height: number };
	language?: string;
}

/** One for all pages, which then read and compile the editor once. */
let common: Promise<BrowserContext> | undefined;
const openContext = async (): Promise<BrowserContext> => await (await openBrowser()).newContext();
export const closeBrowser = async (): Promise<void> => await (await common)?.browser()?.close();

/** Deploys an account and these nodes, and opens the editor on them as somebody who never opened it before. */
export async function openEditor(
	nodes: readonly FlowNode[],
	options: EditorOptions,
	sandbox?: Parameters<typeof openCommonBench>[0],
): Promise<Editor> {
	const [bench, context] = await Promise.all([openCommonBench(sandbox), (common ??= openContext())]);
	await bench.nodeRed.deploy([tab, account(bench.sandbox), ...nodes]);
	// The editor shows tips a second after it read its settings, and fails where its sidebar is not drawn until then.
	const settings = JSON.stringify({ editor: { view: { 'view-show-tips': false } } });
	const headers = { 'content-type': 'application/json' };
	await fetch(`${bench.nodeRed.url}/settings/user`, { method: 'POST', headers, body: settings });
	const page = await context.newPage();
	await page.setViewportSize(options.viewport);
	page.setDefaultTimeout(PAGE_TIMEOUT_MS);
	const problems: string[] = [];
	page.on('console', (message) => {
		// The editor goes on after a form that failed, and logs it as anything else.
		if (message.type() === 'error' || /^onedit\w+ /.test(message.text()))
			problems.push(`${message.text()} ${message.location().url}`);
	});
	page.on('pageerror', (error) => problems.push(error.message));
	const language = JSON.stringify(options.language ?? 'en-US');
	await page.addInitScript(`localStorage.setItem('editor-language', ${language})`);
	// The editor's menus and forms slide open, drawn for each frame, and what a click hits meanwhile may have
	// moved before the button is up again.
	await page.addInitScript(`addEventListener('load', () => {
		jQuery.fx.off = true;
		$('<style>* { transition: none !important; animation: none !important; }</style>').appendTo(document.head);
	})`);
	await page.goto(bench.nodeRed.url);
	await page.waitForSelector('.red-ui-flow-node');
	const close = async (): Promise<void> => {
		await page.close();
		await bench.close();
	};
	return { ...bench, page, problems, close };
}

/** Nodes that a search of the palette may leave. */
const FOUND_MAX = 8;

/** Drags a node from the palette onto the canvas, found by the words a person would search, and returns its ID. */
export async function dropNode(
	page: Page,
	search: string,
	type: string,
	at: { x: number; y: number },
): Promise<string> {
	const selected = async (): Promise<string | undefined> =>
		await page.evaluate<string | undefined>(`(RED.view.selection().nodes ?? [])[0]?.id`);
	const before = await selected();
	const entry = page.locator(`[data-palette-type="${type}"]`);
	const isFiltered = async (): Promise<boolean> => {
		const number = await page.locator('.red-ui-palette-node:visible').count();
		if (number <= FOUND_MAX && (await entry.isVisible())) return true;
		// The palette filters a moment after the last key, and a page that was just loaded may have missed the key.
		await page.locator('#red-ui-palette-search input').fill('');
		await page.locator('#red-ui-palette-search input').pressSequentially(search);
		return false;
	};
	await until(isFiltered, { what: `the palette to show what has to do with ${search}`, everyMs: 500 });
	await entry.scrollIntoViewIfNeeded();
	const from = (await entry.boundingBox())!;
	const canvas = (await page.locator('#red-ui-workspace-chart').boundingBox())!;
	await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
	await page.mouse.down();
	await page.mouse.move(canvas.x + at.x / 2, canvas.y + at.y, { steps: 5 });
	await page.mouse.move(canvas.x + at.x, canvas.y + at.y, { steps: 5 });
	await page.mouse.up();
	return await until(async () => (await selected()) !== before && (await selected()), {
		what: `${type} to lie on the canvas`,
	});
}
