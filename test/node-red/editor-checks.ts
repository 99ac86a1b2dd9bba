import type { Locator, Page } from 'playwright-core';
import { until } from '../support/condition';
import { dropNode, openEditor, type Editor } from './editor-page';
import { KEY, node } from './flows';

/** What forms refuse while it is typed, and what the test of an account says. */
describe('the forms in the editor', () => {
	let editor: Editor;
	let page: Page;

	beforeAll(async () => {
		editor = await openEditor(node('balances', 'balances', {}, 1), { viewport: { width: 1280, height: 720 } });
		page = editor.page;
	});
	afterAll(async () => await editor?.close());

	const tray = (): Locator => page.locator('.red-ui-tray').last();
	const field = (name: string): Locator => tray().locator(`#${name}`);
	const reason = (name: string): Locator =>
		tray()
			.locator('.form-row', { has: page.locator(`#${name}`) })
			.locator('.partner-exchange-reason');
	async function type(name: string, text: string): Promise<void> {
		await field(name).fill(text);
		await field(name).press('Tab');
	}
	/** Parts of the form that the dialog cuts off on the right. */
	const cut = `(() => {
		const tray = [...document.querySelectorAll('.red-ui-tray')].at(-1);
		const edge = tray.querySelector('.red-ui-tray-body').getBoundingClientRect().right;
		return [...tray.querySelectorAll('.form-row, .form-row *')]
			.filter((part) => part.offsetParent && part.getBoundingClientRect().right > edge)
			.map((part) => part.id || part.textContent);
	})()`;

	it('a node without an account says what it lacks where the editor marks it', async () => {
		const problems = await page.evaluate<string[]>(`(() => {
			const node = RED.nodes.node('balances');
			const { account } = node;
			node.account = '';
			RED.editor.validateNode(node);
			const problems = node.validationErrors;
			node.account = account;
			RED.editor.validateNode(node);
			return [...problems, ...node.validationErrors];
		})()`);
		expect(problems).toEqual(['Account: property value missing']);
	});

	describe('of alerts', () => {
		beforeAll(async () => {
			const id = await dropNode(page, 'balances', 'partner-exchange-alerts', { x: 300, y: 300 });
			await page.evaluate(`RED.editor.edit(RED.nodes.node(${JSON.stringify(id)}))`);
			await field('node-input-event').waitFor();
		});
		afterAll(async () => {
			await page.locator('#node-dialog-cancel').click();
			await tray().waitFor({ state: 'detached' });
		});

		it('a new form of alerts opens with nothing to correct, and asks for what a choice needs', async () => {
			expect(await field('node-input-event').inputValue()).toBe('transaction');
			expect(await tray().locator('.input-error').count()).toBe(0);
			expect(await tray().locator('.partner-exchange-reason').locator('visible=true').count()).toBe(0);
			await field('node-input-event').selectOption('balance');
			await reason('node-input-currency').getByText('Currency is needed for what is watched').waitFor();
			await reason('node-input-threshold').getByText('Threshold is needed for what is watched').waitFor();
		});

		it('the form of alerts refuses a currency that the wallet does not have', async () => {
			await type('node-input-currency', 'XYZ');
			await reason('node-input-currency').getByText('Currency must be one of the wallet: NGN, USD').waitFor();
			await type('node-input-currency', 'ngn');
			await reason('node-input-currency').waitFor({ state: 'hidden' });
		});

		it('the form of alerts lists the currencies of the wallet at a click, and says so before', async () => {
			await field('node-input-currency').fill('');
			expect(await field('node-input-currency').getAttribute('placeholder')).toBe('e.g. NGN; click for the list');
			await field('node-input-currency').click();
			await page.locator('.red-ui-menu a', { hasText: 'USD' }).locator('visible=true').click();
			expect(await field('node-input-currency').inputValue()).toBe('USD');
		});

		it('the form of alerts refuses an amount with separators', async () => {
			await type('node-input-threshold', '60.000.000');
			await reason('node-input-threshold').getByText('Threshold must be a number such as 100.00').waitFor();
			await type('node-input-threshold', '60,000,000');
			await reason('node-input-threshold').getByText('without separators: write 60000000').waitFor();
			await type('node-input-threshold', '60000000');
			await reason('node-input-threshold').waitFor({ state: 'hidden' });
		});

		it('the form of alerts asks for neither currency nor amount where it watches transactions', async () => {
			await type('node-input-threshold', '');
			await type('node-input-currency', '');
			await field('node-input-event').selectOption('transaction');
			await reason('node-input-currency').waitFor({ state: 'hidden' });
			await field('node-input-threshold').waitFor({ state: 'hidden' });
		});

		it('the form of alerts asks for a pair and a rate where it watches one', async () => {
			await field('node-input-event').selectOption('rate');
			await reason('node-input-pair_id').getByText('Pair is needed for what is watched').waitFor();
			await type('node-input-rate', '1,650');
			await reason('node-input-rate').getByText('Rate must be without separators: write 1650').waitFor();
			await type('node-input-rate', '1650.00');
			await reason('node-input-rate').waitFor({ state: 'hidden' });
			await field('node-input-threshold').waitFor({ state: 'hidden' });
			await field('node-input-direction').waitFor();
		});
	});

	describe('of an account, opened from the form of a node', () => {
		const result = (): Locator => tray().locator('#partner-exchange-test-result');

		beforeAll(async () => {
			await page.evaluate(`RED.editor.edit(RED.nodes.node('balances'))`);
			await page.locator('#node-input-account').waitFor();
			await page.locator('.red-ui-tray .fa-pencil').click();
			await field('node-config-input-baseUrl').waitFor();
		});

		it('the form of an account cuts nothing off, also where everything is unfolded', async () => {
			await page.evaluate(`document.querySelectorAll('.red-ui-tray details').forEach((one) => (one.open = true))`);
			await until(async () => JSON.stringify(await page.evaluate(cut)) === '[]', {
				what: 'everything to fit',
				seen: () => page.evaluate(cut),
			});
			expect(await field('node-config-input-environment').locator('option').allTextContents()).toEqual([
				'Sandbox',
				'Staging',
				'Production',
			]);
			await tray().getByText('An exchange on your own machine, with test money').waitFor();
		});

		it('the form of an account shows how an address should look', async () => {
			await type('node-config-input-baseUrl', 'https://exchange.example');
			await reason('node-config-input-baseUrl')
				.getByText('Service address must be a complete address such as https://api.example.com/v1')
				.waitFor();
			await type('node-config-input-wsUrl', 'https://exchange.example/v1/ws');
			await reason('node-config-input-wsUrl').getByText('such as wss://api.example.com/v1/ws').waitFor();
		});

		it('the form of an account names a field in its test result as it labels it', async () => {
			await type('node-config-input-apiKey', KEY);
			await page.locator('#partner-exchange-test').click();
			await result().getByText('Service Address must end in /v1').waitFor();
		});

		it('the form of an account forgets its test result when a setting changes', async () => {
			await field('node-config-input-baseUrl').fill(editor.sandbox.baseUrl);
			expect(await result().textContent()).toBe('');
			await type('node-config-input-wsUrl', editor.sandbox.wsUrl);
			await page.locator('#partner-exchange-test').click();
			await result().getByText('Connected: the key opens the sandbox environment').waitFor();
		});
	});

	it('the forms cause no error in the page but the refused tests', () => {
		expect(editor.problems.filter((text) => !text.includes('400'))).toEqual([]);
	});
});
