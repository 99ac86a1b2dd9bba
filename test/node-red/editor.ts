import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessStatus } from '@partner-exchange/core/catalogue';
import type { Locator, Page } from 'playwright-core';
import { until } from '../support/condition';
import type { FlowNode } from '../support/node-red';
import { dropNode, openEditor, type Editor } from './editor-page';
import { KEY, node, packageFolder, tab } from './flows';

/** The forms in a real browser, filled in as a person would. Each test continues from the state of the previous one. */
describe('the forms in the editor', () => {
	let editor: Editor;
	let page: Page;

	beforeAll(async () => {
		const create = node('create', 'create-order', { quantity: '7.00' });
		const events = node('events', 'events', { topics: ['user.fills'] });
		const others = [
			...node('balances', 'balances', {}, 1),
			...node('listening', 'events', { topics: ['trades'], pairs: ['USD/NGN'] }),
		];
		editor = await openEditor([...create, ...events, ...others], { viewport: { width: 1400, height: 1000 } });
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

	/** Types into a field that completes what is typed. */
	async function complete(field: Locator, option: string, value = option): Promise<void> {
		await field.fill('');
		await field.click();
		await menu(option).click();
		expect(await field.inputValue()).toBe(value);
	}

	const field = (name: string): Locator => tray().locator(`#${name}`);
	const reason = (name: string): Locator =>
		tray()
			.locator('.form-row', { has: page.locator(`#${name}`) })
			.locator('.partner-exchange-reason');
	async function type(name: string, text: string): Promise<void> {
		await field(name).fill(text);
		await field(name).press('Tab');
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
		// As what the mouse pastes, before the field is left.
		await typed.locator('.red-ui-typedInput-input').fill('1,000.123');
		await reason.getByText('Quantity must be without separators: write 1000.123').waitFor();
		expect(await isRed()).toBe(true);
		const below = async (): Promise<number> => (await tray().getByText('Options', { exact: true }).boundingBox())!.y;
		const heldAt = await below();
		await choose('Quantity', 'msg.', 'type');
		await type('payload.amount');
		await reason.waitFor({ state: 'hidden' });
		expect(await isRed()).toBe(false);
		// A click into the next field, which corrects a value, hits that field.
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

	it('the form of an order keeps what was filled in', async () => {
		await choose('Side', 'buy');
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

	it('an example imported twice is there twice, each with the only account', async () => {
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

		it('the form of alerts refuses an amount with separators', async () => {
			await type('node-input-threshold', '60.000.000');
			await reason('node-input-threshold').getByText('Threshold must be a number such as 100.00').waitFor();
			await type('node-input-threshold', '60,000,000');
			await reason('node-input-threshold').getByText('without separators: write 60000000').waitFor();
			await type('node-input-threshold', '60000000');
			await reason('node-input-threshold').waitFor({ state: 'hidden' });
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

		it('the form of an account shows how an address should look, and tests what is typed', async () => {
			await type('node-config-input-baseUrl', 'https://exchange.example');
			await reason('node-config-input-baseUrl')
				.getByText('Service address must be a complete address such as https://api.example.com/v1')
				.waitFor();
			await type('node-config-input-wsUrl', 'https://exchange.example/v1/ws');
			await reason('node-config-input-wsUrl').getByText('such as wss://api.example.com/v1/ws').waitFor();
			await type('node-config-input-apiKey', KEY);
			await page.locator('#partner-exchange-test').click();
			await result().getByText('Service Address must end in /v1').waitFor();
			await field('node-config-input-baseUrl').fill(editor.sandbox.baseUrl);
			expect(await result().textContent()).toBe('');
			await type('node-config-input-wsUrl', editor.sandbox.wsUrl);
			await page.locator('#partner-exchange-test').click();
			await result().getByText('Connected: the key opens the sandbox environment').waitFor();
		});

		it('the form of an account shows its stream in tables that fit it, and the place of a topic in the queue of reads', async () => {
			// A queue is as long as this only while an exchange of many pairs answers slowly.
			await page.route('**/accounts/account-one/stream', async (route) => {
				const response = await route.fetch();
				const { topics, totals, ...rest } = (await response.json()) as ProcessStatus;
				const waiting = topics.map((topic) => ({ ...topic, gaps: 2, readings: { ...topic.readings, place: 4 } }));
				await route.fulfill({ response, json: { ...rest, totals: { ...totals, reads_waiting: 4 }, topics: waiting } });
			});
			await page.locator('#partner-exchange-stream summary').click();
			const tables = page.locator('#partner-exchange-stream-tables');
			await tables.getByText('Gaps: 2 · read after 3 others').first().waitFor();
			const text = await tables.innerText();
			expect(text).toMatch(/Readings in the queue\s+4\s/);
			expect(text).toMatch(/trades\.USD_NGN/);
			expect(text).not.toContain(KEY);
			const overflow = await page.evaluate(
				`(() => { const form = document.querySelector('.red-ui-tray:last-child form'); return form.scrollWidth - form.clientWidth; })()`,
			);
			expect(overflow).toBeLessThanOrEqual(0);
		});
	});

	it('the forms cause no error in the page but refused tests, and questions about an account that is just being deployed', () => {
		const isMeant = (text: string): boolean =>
			text.includes('400') || /404.*\/partner-exchange\/accounts\/[^/]+\/choices/.test(text);
		expect(editor.problems.filter((text) => !isMeant(text))).toEqual([]);
	});
});
