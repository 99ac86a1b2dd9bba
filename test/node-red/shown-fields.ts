import type { Locator, Page } from 'playwright-core';
import { openEditor, type Editor } from './editor-page';
import { node } from './flows';

const real = {
	id: 'account-real',
	type: 'partner-exchange-account',
	name: 'Real',
	environment: 'production',
	baseUrl: 'https://api.example.com/v1',
	wsUrl: 'wss://api.example.com/v1/ws',
};

describe('a form shows what has an effect', () => {
	let editor: Editor;
	let page: Page;

	beforeAll(async () => {
		const nodes = [
			...node('create', 'create-order'),
			...node('sandbox', 'sandbox', { operation: 'moveClock' }),
			...node('list', 'recipients', { operation: 'list' }, 1),
			...node('list-crypto', 'recipients', { operation: 'list', recipient_type: 'crypto' }, 1),
			...node('allowed', 'cancel-order', { production: true }),
		];
		editor = await openEditor([real, ...nodes], { viewport: { width: 1280, height: 1000 } }, { marketMaker: true });
		page = editor.page;
	});
	afterAll(async () => await editor?.close());
	afterEach(async () => {
		await page.locator('#node-dialog-cancel').click();
		await tray().waitFor({ state: 'detached' });
	});

	const tray = (): Locator => page.locator('.red-ui-tray').last();
	const row = (label: string): Locator =>
		tray().locator('.form-row', { has: page.locator('label > span').getByText(label, { exact: true }) });
	const production = (): Locator => tray().getByText('Allow production', { exact: false });
	const tip = (): Locator => tray().getByText('What you enter here stays fixed');
	async function edit(id: string): Promise<void> {
		await page.evaluate(`RED.editor.edit(RED.nodes.node(${JSON.stringify(id)}))`);
		await row('Account').waitFor();
	}
	/** Chooses as a click in its menu does. */
	const choose = async (name: string, value: string): Promise<unknown> =>
		await page.evaluate(`$('#node-input-${name}').typedInput('value', ${JSON.stringify(value)})`);

	it('asks how long to wait only where a node waits', async () => {
		await edit('create');
		await tray().getByText('Options', { exact: true }).click();
		await row('Wait until').waitFor();
		await row('Seconds to wait').waitFor();
		await row('Seconds to wait').waitFor();
		await choose('wait', 'none');
		await row('Seconds to wait').waitFor({ state: 'hidden' });
	});

	it('chooses no side and no type for a person, also not when the form is closed', async () => {
		await edit('create');
		await row('Side').getByText('choose one', { exact: true }).waitFor();
		await row('Order type').getByText('choose one', { exact: true }).waitFor();
		await page.locator('#node-dialog-ok').click();
		await tray().waitFor({ state: 'detached' });
		const chosen = await page.evaluate(`(({ side, order_type }) => [side, order_type])(RED.nodes.node('create'))`);
		expect(chosen).toEqual(['', '']);
		await edit('create');
	});

	it('says of a choice what each value does', async () => {
		await edit('create');
		await tray().getByText('Options', { exact: true }).click();
		await row('Wait until').locator('.red-ui-typedInput-option-trigger').click();
		await page.getByText('final (filled or ended)', { exact: true }).click();
		await row('Wait until').getByText('final (filled or ended)', { exact: true }).waitFor();
		expect(await page.evaluate(`$('#node-input-wait').typedInput('value')`)).toBe('final');
	});

	it('asks about production only where money may be real', async () => {
		await edit('create');
		await production().waitFor({ state: 'hidden' });
		await tray().locator('#node-input-account').selectOption(real.id);
		await production().waitFor();
		await tray().locator('#node-input-account').selectOption('account-one');
		await production().waitFor({ state: 'hidden' });
	});

	it('begins a list without a filter, also where another operation requires the value', async () => {
		const type = row('Recipient type');
		await edit('list');
		await type.getByText('any', { exact: true }).waitFor();
		await tray().locator('#node-input-operation').selectOption('create');
		await type.getByText('choose one', { exact: true }).waitFor();
		await tray().locator('#node-input-operation').selectOption('list');
		await type.getByText('any', { exact: true }).waitFor();
		await page.locator('#node-dialog-cancel').click();
		await tray().waitFor({ state: 'detached' });
		await edit('list-crypto');
		await type
			.getByText(/crypto/i)
			.first()
			.waitFor();
	});

	it('fills in the currency of a bank account, which has one alone, and of nothing else', async () => {
		const currency = async (): Promise<unknown> => await page.evaluate(`$('#node-input-currency').typedInput('value')`);
		await edit('list');
		await tray().locator('#node-input-operation').selectOption('create');
		const seen: unknown[] = [];
		for (const type of ['fiat', 'crypto', 'fiat']) {
			await choose('recipient_type', type);
			seen.push(await currency());
		}
		await page.evaluate(`$('#node-input-currency').typedInput('value', 'EUR')`);
		await choose('recipient_type', 'crypto');
		expect([...seen, await currency()]).toEqual(['NGN', '', 'NGN', 'EUR']);
	});

	it('says what a quantity comes to now, and no more once it is another', async () => {
		await edit('create');
		const worth = tray().locator('#partner-exchange-worth');
		for (const [name, value] of Object.entries({ pair_id: 'USD/NGN', side: 'buy', quantity: '10' }))
			await choose(name, value);
		await worth.getByText(/^≈ 1[45],\d{3} NGN at the current price$/).waitFor();
		await choose('quantity', '10,0');
		expect(await worth.textContent()).toBe('');
	});

	it('shows that production is allowed also beside an account where no money is real', async () => {
		await edit('allowed');
		await production().waitFor();
	});

	it('names a field that a message can bring, and says nothing of messages where there is none', async () => {
		await edit('create');
		await tip().getByText('A field of msg.payload, such as pair_id, fills only what is left empty').waitFor();
		await page.locator('#node-dialog-cancel').click();
		await tray().waitFor({ state: 'detached' });
		await edit('sandbox');
		await tip().getByText('such as advance_ms').waitFor();
		await tray().locator('#node-input-operation').selectOption('reset');
		await tip().waitFor({ state: 'hidden' });
	});
});
