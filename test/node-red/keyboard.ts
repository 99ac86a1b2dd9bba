import type { Locator, Page } from 'playwright-core';
import { until } from '../support/condition';
import { openEditor, type Editor } from './editor-page';
import { tab } from './flows';

/** Presses of Tab after which a field that was not reached counts as unreachable. */
const TABS_MAX = 40;

describe('a form without a mouse', () => {
	let editor: Editor;
	let page: Page;

	beforeAll(async () => {
		const order = { id: 'order', type: 'partner-exchange-create-order', account: 'account-one', wait: 'final' };
		editor = await openEditor(
			[{ ...order, z: tab.id, x: 200, y: 100, wires: [[], []] }],
			{ viewport: { width: 1280, height: 720 } },
			{ marketMaker: true },
		);
		page = editor.page;
	});
	afterAll(async () => await editor?.close());
	beforeEach(async () => {
		await page.keyboard.press('Control+a');
		await page.keyboard.press('Enter');
		await page.locator('.red-ui-tray #node-dialog-ok').waitFor();
		await until(async () => await page.evaluate<boolean>(`!!document.activeElement.closest('.red-ui-tray')`), {
			what: 'the dialog to have the focus',
		});
	});

	/** The label of the field that has the focus; the buttons for the type of a value have none. */
	const focused = async (): Promise<string | undefined> =>
		await page.evaluate<string | undefined>(`(() => {
			const part = document.activeElement;
			if (part.matches('.red-ui-typedInput-type-select')) return undefined;
			return part.closest('.form-row')?.querySelector('label')?.textContent.trim();
		})()`);
	async function tabTo(label: string): Promise<void> {
		for (let presses = 0; presses < TABS_MAX; presses += 1) {
			if ((await focused()) === label) return;
			await page.keyboard.press('Tab');
		}
		throw new Error(`Tab does not reach ${label}`);
	}
	const list = (): Locator => page.locator('.red-ui-autoComplete-container', { hasText: 'USD/NGN' });
	const valueOf = async (name: string): Promise<string> => await page.locator(`#node-input-${name}`).inputValue();

	it('takes an order from its first field to Deploy', async () => {
		await tabTo('Pair');
		await page.keyboard.press('ArrowDown');
		await list().waitFor();
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('Enter');
		expect(await valueOf('pair_id')).toBe('USD/NGN');
		for (const [label, value, steps] of [
			['Side', 'buy', 1],
			['Order type', 'market', 2],
		] as const) {
			await tabTo(label);
			await page.keyboard.press('Enter');
			await page.locator('.red-ui-typedInput-options a:visible', { hasText: value }).waitFor();
			for (let step = 0; step < steps; step += 1) await page.keyboard.press('ArrowDown');
			await page.keyboard.press('Enter');
			expect(await valueOf(label === 'Side' ? 'side' : 'order_type')).toBe(value);
		}
		await tabTo('Quantity');
		await page.keyboard.type('10');
		await page.keyboard.press('Control+Enter');
		await page.locator('.red-ui-tray').waitFor({ state: 'detached' });
		const starts = (): number => editor.nodeRed.log().split('Started ').length;
		const before = starts();
		await page.keyboard.press('Control+d');
		await until(() => starts() > before, { what: 'the flow to start with it' });
		await editor.nodeRed.send('order', { payload: {} });
		await editor.nodeRed.waitForStatus('order', /bought 10\.00 USD/);
	});
});
