import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { until } from '../support/condition';
import type { FlowNode } from '../support/node-red';
import { openEditor, type Editor } from './editor-page';
import { KEY, node, packageFolder, tab } from './flows';

/** The forms in a real browser, filled in as a person would. Each test continues from the state of the previous one. */
describe('the forms in the editor', () => {
	let editor: Editor;
	let page: Page;

	beforeAll(async () => {
		const create = node('create', 'create-order', { quantity: '7.00' });
		const events = node('events', 'events', { topics: ['user.fills'] });
		editor = await openEditor([...create, ...events], { viewport: { width: 1400, height: 1000 } });
		page = editor.page;
	});
	afterAll(async () => await editor?.close());

	const tray = (): Locator => page.locator('.red-ui-tray').last();
	const row = (label: string): Locator =>
		tray().locator('.form-row', { has: page.locator('label > span').getByText(label, { exact: true }) });
	const menu = (text: string): Locator =>
		page.locator('.red-ui-menu a, .red-ui-typedInput-options a', { hasText: text });

	/** Opens a form as a double click does; a slow machine may take the two clicks for separate ones. */
	async function edit(id: string): Promise<void> {
		await page.evaluate(`RED.editor.edit(RED.nodes.node(${JSON.stringify(id)}))`);
		await row('Account').waitFor();
	}
	async function finish(): Promise<void> {
		await page.locator('#node-dialog-ok').click();
		await tray().waitFor({ state: 'detached' });
	}
	/** Deploys with the button, and returns a node as the runtime has it afterwards. */
	async function deploy(id: string): Promise<FlowNode> {
		const answered = page.waitForResponse(
			(response) => response.request().method() === 'POST' && response.url().endsWith('/flows'),
		);
		await page.locator('#red-ui-header-button-deploy').click();
		const questions = page.locator('.red-ui-notification', { has: page.locator('button') });
		const requested = questions
			.first()
			.waitFor()
			.then(() => questions.first().textContent());
		const response = await Promise.race([answered, requested.catch(() => answered)]);
		if (response === null || typeof response === 'string') throw new Error(`The editor asks instead: ${response}`);
		expect(response.ok()).toBe(true);
		const flows = await editor.nodeRed.api<FlowNode[]>('/flows');
		return flows.find((node) => node.id === id)!;
	}
	async function choose(label: string, value: string, part: 'option' | 'type' = 'option'): Promise<void> {
		const opens = part === 'option' ? '.red-ui-typedInput-option-trigger' : '.red-ui-typedInput-type-select';
		await row(label).first().locator(opens).click();
		await menu(value).locator('visible=true').click();
		if (part === 'option') await row(label).first().getByText(value, { exact: true }).waitFor();
	}

	/** The same for a field that completes what is typed. */
	async function complete(field: Locator, option: string, value = option): Promise<void> {
		await field.fill('');
		await field.click();
		await menu(option).click();
		expect(await field.inputValue()).toBe(value);
	}

	it('the form of an order asks for a price only where there is one', async () => {
		await edit('create');
		await row('Price').waitFor();
		await tray().getByText('Options', { exact: true }).click();
		await row('Time in force').waitFor();
		await choose('Order type', 'market');
		await row('Price').waitFor({ state: 'hidden' });
		await row('Time in force').waitFor({ state: 'hidden' });
		await row('Maximum quantity').waitFor();
	});

	it('a form says under a field why it is red, and not for a field that comes with the message', async () => {
		const quantity = row('Quantity').first();
		const typed = quantity.locator('.red-ui-typedInput-container');
		const reason = quantity.locator('.partner-exchange-reason');
		const isRed = async (): Promise<boolean> => ((await typed.getAttribute('class')) ?? '').includes('input-error');
		const type = async (text: string): Promise<void> => {
			await typed.locator('.red-ui-typedInput-input').fill(text);
			await typed.locator('.red-ui-typedInput-input').press('Tab');
		};
		await type('1,000.123');
		await reason.getByText('Quantity must be without separators: write 1000.123').waitFor();
		expect(await isRed()).toBe(true);
		const below = async (): Promise<number> => (await tray().getByText('Options', { exact: true }).boundingBox())!.y;
		const heldAt = await below();
		await choose('Quantity', 'msg.', 'type');
		await type('payload.amount');
		await reason.waitFor({ state: 'hidden' });
		expect(await isRed()).toBe(false);
		// Whoever corrects a value by a click into the next field hits that field.
		expect(await below()).toBe(heldAt);
		await choose('Quantity', 'number', 'type');
		await type('7.00');
		await reason.waitFor({ state: 'hidden' });
	});

	it('a form offers the pairs of the account at a click', async () => {
		const pair = row('Pair').locator('.red-ui-typedInput-input');
		await complete(pair, 'USD/NGN');
		expect(await pair.inputValue()).toBe('USD/NGN');
	});

	it('a form shows what an amount counts, from the picked pair', async () => {
		await choose('Order type', 'limit');
		expect(await row('Quantity').first().locator('[data-unit]').textContent()).toBe('USD');
		expect(await row('Price').locator('.partner-exchange-unit').textContent()).toBe('NGN / USD');
		await choose('Order type', 'market');
		await choose('Side', 'buy');
	});

	it('a form names every input for a screen reader', async () => {
		await tray().getByLabel('Pair', { exact: true }).first().waitFor();
		await tray().getByLabel('Quantity', { exact: true }).first().waitFor();
	});

	it('a form shows the help of its node beside it', async () => {
		await tray().locator('.red-ui-tray-footer .fa-book').click();
		const help = page.locator('.red-ui-help', { hasText: 'Place an order' }).last();
		await help.waitFor();
		expect(await help.textContent()).toMatch(/payload\.quantity.*outcome unknown/s);
	});

	it('the form of an order keeps what was filled in', async () => {
		await choose('Wait until', 'final (filled or ended)');
		await row('Quantity').locator('.red-ui-typedInput-input').first().fill('12.50');
		await finish();
		expect(await deploy('create')).toMatchObject({
			...{ pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '12.50', quantityType: 'str' },
			...{ price: '', wait: 'final', wait_seconds: '60', account: 'account-one' },
		});
		await edit('create');
		expect(await row('Quantity').locator('.red-ui-typedInput-input').first().inputValue()).toBe('12.50');
		await row('Price').waitFor({ state: 'hidden' });
		await finish();
	});

	it('a form unfolds a section with a red field when it opens', async () => {
		await edit('create');
		await tray().getByText('Options', { exact: true }).click();
		const limit = row('Maximum quantity').locator('.red-ui-typedInput-input').first();
		await limit.fill('a lot');
		await limit.press('Tab');
		await finish();
		await edit('create');
		const reason = row('Maximum quantity').getByText('Maximum quantity must be a number such as 100.00');
		await reason.waitFor();
		// A form that is still being filled in takes nothing yet. An invalid node would make the next deploy ask for
		// confirmation.
		const empties = async (): Promise<boolean> => {
			await limit.fill('');
			await limit.press('Tab');
			return await reason.isHidden();
		};
		await until(empties, { what: 'the reason to go', everyMs: 500 });
		await finish();
	});

	it('an imported node without an account takes the only one', async () => {
		const lonely = {
			id: 'lonely',
			type: 'partner-exchange-balances',
			z: tab.id,
			account: '',
			x: 500,
			y: 500,
			wires: [[]],
		};
		await page.evaluate(`RED.nodes.import([${JSON.stringify(lonely)}], { generateIds: false })`);
		const account = () => page.evaluate<string>(`RED.nodes.node('lonely')?.account ?? ''`);
		await until(async () => (await account()) === 'account-one', { what: 'the account to be chosen' });
		expect(await deploy('lonely')).toMatchObject({ account: 'account-one' });
	});

	it('an example imported twice stands there twice, each with the only account', async () => {
		const example = readFileSync(join(packageFolder, 'examples', 'create-order.json'), 'utf8');
		const accounts = () =>
			page.evaluate<string[]>(`(() => {
				const found = [];
				RED.nodes.eachNode((node) => void (node.type === 'partner-exchange-create-order' && found.push(node.account)));
				return found;
			})()`);
		const before = (await accounts()).length;
		const isThere = (more: number) => async () =>
			(await accounts()).filter((id) => id === 'account-one').length === before + more;
		const importIt = async (): Promise<void> => {
			await page.evaluate(`RED.actions.invoke('core:show-import-dialog')`);
			await page.locator('#red-ui-clipboard-dialog-import-text').fill(example);
			await page.locator('#red-ui-clipboard-dialog-import-text').press('End');
			await page.locator('#red-ui-clipboard-dialog-ok:enabled').click();
		};
		await importIt();
		await until(isThere(1), { what: 'the example' });
		await importIt();
		await page.locator('.red-ui-notification button', { hasText: 'Import copy' }).click();
		await until(isThere(2), { what: 'its copy' });
		expect(
			await page.evaluate(
				`RED.nodes.createCompleteNodeSet().filter(({ type }) => type === 'partner-exchange-account').length`,
			),
		).toBe(1);
	});

	it('the form of events asks for pairs and statuses only where they matter', async () => {
		await edit('events');
		await tray().getByText('Only some events').click();
		await row('Side').waitFor();
		await row('Pairs').waitFor({ state: 'hidden' });
		await row('Status').waitFor({ state: 'hidden' });
		await tray().getByText('Order Updates').click();
		await row('Status').waitFor();
		await tray().getByText('Public Trades').click();
		await complete(row('Pairs').locator('input'), 'USD/NGN');
		await tray().getByText('rejected').click();
		await finish();
		expect(await deploy('events')).toMatchObject({
			...{ topics: ['user.orders', 'user.fills', 'trades'], pairs: ['USD/NGN'], statuses: ['rejected'] },
			...{ missed: true, batch: '1', taken: 'complete', settle: '1', store: '' },
		});
	});

	it('the form of events offers all pairs first, and says that they are live only', async () => {
		await edit('events');
		await row('Pairs').locator('input').fill('');
		await complete(row('Pairs').locator('input'), 'All pairs (live only)', '*');
		await finish();
		expect(await deploy('events')).toMatchObject({ pairs: ['*'] });
	});

	it('the form of events offers an input where messages return, and asks for seconds where they do not', async () => {
		const input = page.locator('#events .red-ui-flow-port-input');
		expect(await input.count()).toBe(0);
		await edit('events');
		await tray().getByText('Delivery').click();
		await row('An event is taken').waitFor();
		expect(await row('Seconds per event').isVisible()).toBe(false);
		await row('An event is taken').locator('select').selectOption('when its message comes back');
		await finish();
		await input.waitFor();
		expect(await deploy('events')).toMatchObject({ taken: 'back', inputs: 1 });
		await edit('events');
		await tray().getByText('Delivery').click();
		await row('An event is taken').waitFor();
		expect(await row('Seconds per event').isVisible()).toBe(false);
		await row('An event is taken').locator('select').selectOption('after a time (what takes longer can be lost)');
		await row('Seconds per event').waitFor();
		await finish();
		await input.waitFor({ state: 'detached' });
		expect(await deploy('events')).toMatchObject({ taken: 'time', inputs: 0 });
	});

	it("the form of an account fills in the sandbox's addresses, never over others, and tests the key", async () => {
		await edit('events');
		await row('Account')
			.locator('.red-ui-button', { has: page.locator('.fa-pencil') })
			.click();
		const address = row('Service address').locator('input');
		expect(await address.inputValue()).toBe(editor.sandbox.baseUrl);
		await address.fill('http://127.0.0.1:4010/v1');
		await row('Environment').locator('select').selectOption('staging');
		expect(await address.inputValue()).toBe('');
		await address.fill(editor.sandbox.baseUrl);
		await row('Environment').locator('select').selectOption('sandbox');
		expect(await address.inputValue()).toBe(editor.sandbox.baseUrl);
		await row('API key').locator('input').fill(KEY);
		await tray().getByText('Test connection').click();
		await tray().getByText('Connected: the key opens the sandbox environment').waitFor();
		await row('Name').locator('input').fill('Desk');
		await page.locator('#node-config-dialog-ok').click();
		await row('Trigger on').waitFor();
		expect(await row('Account').locator('select option:checked').textContent()).toBe('Desk');
		await finish();
		const deployed = await deploy('account-one');
		expect(deployed).toMatchObject({ name: 'Desk', environment: 'sandbox', baseUrl: editor.sandbox.baseUrl });
		expect(JSON.stringify(deployed)).not.toContain(KEY);
	});

	it('the forms cause no error in the page', () => {
		expect(editor.problems).toEqual([]);
	});
});
