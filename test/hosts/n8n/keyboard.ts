/** An order built in n8n's editor by keys alone. */
import type { Locator, Page } from 'playwright-core';
import { signIn } from '../../../scripts/hosts/n8n-editor';
import { isN8n1 } from '../../../scripts/hosts/versions';
import { openBrowser, PAGE_TIMEOUT_MS } from '../../../scripts/hosts/browser';
import { until } from '../../support/condition';
import { list } from '../../support/demo';
import { openCommonBench } from './common-bench';
import { forAll } from '../../support/opened';

const id = (name: string): string => `[data-test-id=${name}]`;
const OPENS_NODES = isN8n1() ? 'Tab' : 'n';
const MANUAL = isN8n1() ? 'Manual Trigger' : 'Trigger manually';
/** More than the entries before any that is wanted. */
const DOWNS_MAX = 12;
/** More than all stops of a form. */
const TABS_MAX = 60;

describe('without a mouse', () => {
	const bench = forAll(() => openCommonBench({ marketMaker: true }));
	let page: Page;

	beforeAll(async () => {
		page = await (await openBrowser()).newPage({ viewport: { width: 1280, height: 720 } });
		page.setDefaultTimeout(PAGE_TIMEOUT_MS);
		await signIn(page, bench.n8n.url());
	});
	afterAll(async () => await page?.context().browser()?.close());

	const press = async (key: string): Promise<void> => await page.keyboard.press(key);
	const hasFocus = async (target: Locator): Promise<boolean> =>
		(await target.count()) > 0 && (await target.evaluate((element) => element.contains(document.activeElement)));

	/** The search of the list of nodes. A page that was just loaded may have missed the key. */
	const openNodes = async (): Promise<void> => {
		const search = page.locator(id('node-creator-search-bar'));
		const opens = async (): Promise<true | undefined> => {
			if (await hasFocus(search)) return true;
			if (!(await search.isVisible())) await press(OPENS_NODES);
			return undefined;
		};
		await until(opens, { what: 'the list of nodes', everyMs: 1_000 });
	};
	const marked = (): Locator => page.locator(`${id('item-iterator-item')}[class*=_active]`);
	/** Down until the entry is marked, then Enter. A list that still narrows may leave the mark behind it: then up. */
	const chooseNode = async (name: string): Promise<void> => {
		await page.locator(id('item-iterator-item'), { hasText: name }).first().waitFor();
		let presses = 0;
		const isMarked = async (): Promise<true | undefined> => {
			const texts = await marked().allInnerTexts();
			if (texts.some((text) => text.trim().startsWith(name))) return true;
			await press(presses % (2 * DOWNS_MAX) < DOWNS_MAX ? 'ArrowDown' : 'ArrowUp');
			presses += 1;
			return undefined;
		};
		await until(isMarked, { what: `${name} to be marked`, everyMs: 200 });
		await press('Enter');
	};
	/** Tab until a part of the form has the focus. */
	const tabTo = async (target: Locator): Promise<void> => {
		for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
			if (await hasFocus(target)) return;
			await press('Tab');
		}
		throw new Error(`Tab does not lead to ${String(target)}`);
	};
	/** What is typed narrows an open list; Down marks the first entry that is left. The list is done once its choice shows. */
	const pick = async (text: string, entry: Locator, isChosen: () => Promise<boolean>): Promise<void> => {
		await page.keyboard.type(text);
		await entry.waitFor();
		// Enter picks nothing while the list still narrows, and a list that narrows hides its entries for a moment.
		const isPicked = async (): Promise<true | undefined> => {
			if (await isChosen()) return true;
			if (await entry.isVisible()) {
				await press('ArrowDown');
				await press('Enter');
				return undefined;
			}
			// A list that Enter closed before it had narrowed is opened again, and narrowed again.
			await press('ArrowDown');
			await press('Control+A');
			await page.keyboard.type(text);
			return undefined;
		};
		await until(isPicked, { what: `${text} to be picked`, everyMs: 1_000 });
	};
	const shows = (field: Locator, value: string) => async (): Promise<boolean> =>
		(await field.count()) > 0 && (await field.inputValue()).includes(value);
	const input = (name: string): Locator => page.locator(`${id(`parameter-input-${name}`)} input`).last();
	const entry = (text: string): Locator => page.locator('.el-select-dropdown__item:visible', { hasText: text });

	it('a market order is built on an empty canvas, placed and filled', async () => {
		await page.goto(`${bench.n8n.url()}/workflow/new`);
		await openNodes();
		await page.keyboard.type('manual');
		await chooseNode(MANUAL);
		await page.locator(id('canvas-node')).waitFor();
		await openNodes();
		await page.keyboard.type('partner');
		await chooseNode('Partner Exchange');
		await chooseNode('Create order');
		await page.locator(id('node-execute-button')).first().waitFor();

		// The list of pairs opens by itself once its field has the focus, unless the form is still being drawn.
		const search = page.locator(id('rlc-search'));
		const opens = async (): Promise<true | undefined> => {
			if (await hasFocus(search)) return true;
			await tabTo(page.locator(id('rlc-mode-selector')));
			await press('Tab');
			return undefined;
		};
		await until(opens, { what: 'the list of pairs', everyMs: 1_000 });
		await pick(
			'usd',
			page.locator(id('rlc-item')).first(),
			shows(page.locator(`input${id('rlc-input')}, ${id('rlc-input')} input`), 'USD'),
		);
		await tabTo(input('side'));
		await pick('buy', entry('Buy'), shows(input('side'), 'Buy'));
		await tabTo(input('order_type'));
		await pick('market', entry('Market'), shows(input('order_type'), 'Market'));
		await tabTo(input('quantity'));
		await page.keyboard.type('10');
		await tabTo(page.getByPlaceholder('Add Option'));
		await pick('wait', entry('Wait Until'), async () => (await page.locator(id('parameter-input-wait')).count()) > 0);
		// Escape in a field to pick from belongs to the field.
		await press('Tab');

		const button = page.locator(id('node-execute-button')).first();
		const closes = async (): Promise<true | undefined> => {
			if (!(await button.isVisible())) return true;
			await press('Escape');
			return undefined;
		};
		await until(closes, { what: 'the form to close', everyMs: 1_000 });

		// n8n starts nothing while a run is under way. A key that comes before the canvas listens is lost.
		const placed = async () => await list<{ status: string }>(bench.sandbox().url, '/exchange/orders', 'orders');
		const ran = page.locator(
			['running', 'success', 'warning'].map((status) => id(`canvas-node-status-${status}`)).join(),
		);
		const runs = async (): Promise<true | undefined> => {
			if ((await ran.count()) > 0 || (await placed()).length > 0) return true;
			await press('Control+Enter');
			return undefined;
		};
		await until(runs, { what: 'a run of the workflow', everyMs: 2_000 });
		const orders = await until(
			async () => {
				const listed = await placed();
				return listed[0]?.status === 'filled' ? listed : undefined;
			},
			{ what: 'a filled order' },
		);
		expect(orders).toEqual([expect.objectContaining({ side: 'buy', order_type: 'market', filled_quantity: '10.00' })]);
	});
});
