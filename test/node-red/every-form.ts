import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { hasDemo } from '../../scripts/hosts/demo-folder';
import { palette } from '../../packages/node-red/src/palette';
import { until } from '../support/condition';
import type { FlowNode } from '../support/node-red';
import { openEditor, type Editor } from './editor-page';
import { node, packageFolder } from './flows';

const names = [...palette.map(({ name }) => name), 'events', 'alerts'];

const real = {
	...{ id: 'account-real', type: 'partner-exchange-account', name: 'Real', environment: 'production' },
	...{ baseUrl: 'https://api.example.com/v1', wsUrl: 'wss://api.example.com/v1/ws' },
};

/** Disabled, so that it does not trade. */
const demo = (
	JSON.parse(readFileSync(join(packageFolder, '../../examples/node-red/demo.json'), 'utf8')) as FlowNode[]
).map((each) => (each.type === 'tab' ? { ...each, disabled: true } : each));

/** The parts of the open dialog that cannot be scrolled into view, with every fold of the form open. */
const UNREACHABLE = `(() => {
	const tray = [...document.querySelectorAll('.red-ui-tray')].at(-1);
	const content = tray.querySelector('.red-ui-tray-content').getBoundingClientRect();
	const right = Math.min(content.right, tray.getBoundingClientRect().right);
	tray.querySelectorAll('details').forEach((fold) => (fold.open = true));
	const parts = tray.querySelectorAll('.form-row input:not([type=hidden]), .form-row select, .form-row button, .form-row label, summary');
	return [...parts].filter((part) => {
		if (!part.offsetParent) return false;
		part.scrollIntoView({ block: 'center' });
		const box = part.getBoundingClientRect();
		return box.left < content.left - 1 || box.right > right + 1 || box.top < content.top - 1 || box.bottom > content.bottom + 1;
	}).map((part) => part.id || part.textContent);
})()`;

/** The nodes of the flow in sight that something lies over, such as a sidebar, or that begin beyond an edge. */
const COVERED = `(() => [...document.querySelectorAll('.red-ui-flow-node-group')].filter((node) => {
	const { left, right, top, bottom } = node.getBoundingClientRect();
	const corners = [[left, top], [right, top], [left, bottom], [right, bottom]];
	return !corners.every(([x, y]) => document.elementFromPoint(x, y)?.closest('#red-ui-workspace-chart'));
}).map(({ id }) => id))()`;

/** What a person sees of a flow that runs, and of the form of each node in it. */
describe('the editor beside a running flow', () => {
	let editor: Editor;
	let page: Page;

	beforeAll(async () => {
		const market = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '10', wait: 'final' };
		const nodes = [
			...names.flatMap((name) => node(name, name)),
			...node('buyer', 'create-order', market),
			...node('seller', 'create-order', { ...market, side: 'sell', order_type: 'limit', price: '1600.00' }),
			...node('from-message', 'create-order', { ...market, pair_id: 'payload.pair', pair_idType: 'msg' }),
			...node('list', 'wallet', { operation: 'currencies' }, 1),
			...node('no-market', 'events', { topics: ['trades'], pairs: ['USD/NGM'] }),
			...node('list-crypto', 'recipients', { operation: 'list', recipient_type: 'crypto' }, 1),
			...node('steering', 'sandbox', { operation: 'moveClock' }),
			...node('allowed', 'cancel-order', { production: true }),
		];
		const options = { viewport: { width: 1280, height: 1000 } };
		editor = await openEditor([real, ...nodes, ...demo], options, { marketMaker: true });
		page = editor.page;
	});
	afterAll(async () => await editor?.close());

	const textOf = async (id: string, part: string): Promise<string> =>
		((await page.locator(`[id="${id}"] .red-ui-flow-node-${part}`).allTextContents()) ?? []).join(' ');
	const shows = async (id: string, text: string): Promise<void> =>
		void (await until(async () => (await textOf(id, 'status-label')) === text, {
			what: `${id} to show ${text}`,
			seen: () => editor.nodeRed.statuses.slice(-4),
		}));

	it('the editor labels a node with what it will do', async () => {
		for (const [id, label] of [
			['buyer', 'buy 10 usd'],
			['seller', 'sell 10 usd at 1600.00'],
			['from-message', 'create order'],
			['list', 'wallet: get currencies'],
		] as const)
			expect((await textOf(id, 'label')).replace(/\s+/g, ' ').trim().toLowerCase()).toBe(label);
	});

	it('the editor shows under a node what it bought, and how long a list was', async () => {
		await editor.nodeRed.send('buyer', { payload: {} });
		await shows('buyer', 'bought 10.00 USD');
		await editor.nodeRed.send('list', { payload: {} });
		await shows('list', '2 results');
	});

	it('the editor shows under a node which field is at fault, and what to do first in the debug sidebar', async () => {
		await page.evaluate(`RED.sidebar.show('debug')`);
		await editor.nodeRed.deploy(await editor.nodeRed.api('/flows'));
		await shows('no-market', 'invalid input · Pairs');
		const sentence = /^"The service offers USD\/NGN[^"]*There is no pair/;
		const said = async () => await page.locator('.red-ui-debug-msg-payload').allTextContents();
		await until(async () => (await said()).some((text) => sentence.test(text)), { what: 'the sentence' });
	});

	describe('a form shows what has an effect', () => {
		const tray = (): Locator => page.locator('.red-ui-tray').last();
		const row = (label: string): Locator =>
			tray().locator('.form-row', { has: page.locator('label > span').getByText(label, { exact: true }) });
		const production = (): Locator => tray().getByText('Allow production', { exact: false });
		const tip = (): Locator => tray().getByText('What you enter here stays fixed');
		const edit = async (id: string): Promise<void> => {
			await page.evaluate(`RED.editor.edit(RED.nodes.node(${JSON.stringify(id)}))`);
			await row('Account').waitFor();
		};
		const leave = async (button = 'cancel'): Promise<void> => {
			await page.locator(`#node-dialog-${button}`).click();
			await tray().waitFor({ state: 'detached' });
		};
		/** Chooses as a click in its menu does. */
		const choose = async (name: string, value: string): Promise<unknown> =>
			await page.evaluate(`$('#node-input-${name}').typedInput('value', ${JSON.stringify(value)})`);

		it('chooses no side and no type for a person, also not when the form is closed', async () => {
			await edit('create-order');
			await row('Side').getByText('choose one', { exact: true }).waitFor();
			await row('Order type').getByText('choose one', { exact: true }).waitFor();
			await leave('ok');
			const chosen = `(({ side, order_type }) => [side, order_type])(RED.nodes.node('create-order'))`;
			expect(await page.evaluate(chosen)).toEqual(['', '']);
		});

		it('shows of an order what it comes to, how long it waits, and production only where money may be real', async () => {
			await edit('create-order');
			await tip().getByText('A field of msg.payload, such as pair_id, fills only what is left empty').waitFor();
			const worth = tray().locator('#partner-exchange-worth');
			for (const [name, value] of Object.entries({ pair_id: 'USD/NGN', side: 'buy', quantity: '10' }))
				await choose(name, value);
			await worth.getByText(/^≈ 1[45],\d{3} NGN at the current price$/).waitFor();
			// As one pastes by the mouse, without a key.
			await row('Quantity').locator('.red-ui-typedInput-input').fill('10,0');
			expect(await worth.textContent()).toBe('');
			// As the run says of a quantity that may mean thousands, that is too small, or that has too many decimals.
			for (const [quantity, words] of Object.entries({
				'1.000': 'Enter 1.00 or 1000',
				'0.001': 'zero after it was rounded down to the step of the market',
				'10.0001': 'More decimals than the market takes: write 10',
			})) {
				await choose('quantity', quantity);
				await worth.getByText(words).waitFor();
			}
			await tray().getByText('Options', { exact: true }).click();
			await row('Seconds to wait').waitFor();
			await row('Wait until').locator('.red-ui-typedInput-option-trigger').click();
			await page.getByText('final (filled or ended)', { exact: true }).click();
			await row('Wait until').getByText('final (filled or ended)', { exact: true }).waitFor();
			expect(await page.evaluate(`$('#node-input-wait').typedInput('value')`)).toBe('final');
			await choose('wait', 'none');
			await row('Seconds to wait').waitFor({ state: 'hidden' });
			await production().waitFor({ state: 'hidden' });
			await tray().locator('#node-input-account').selectOption(real.id);
			await production().waitFor();
			await tray().locator('#node-input-account').selectOption('account-one');
			await production().waitFor({ state: 'hidden' });
			await leave();
			await edit('allowed');
			await production().waitFor();
			await leave();
		});

		it('begins a list without a filter, and fills in the currency of a bank account alone', async () => {
			const type = row('Recipient type');
			const currency = async (): Promise<unknown> =>
				await page.evaluate(`$('#node-input-currency').typedInput('value')`);
			await edit('recipients');
			await tray().locator('#node-input-operation').selectOption('list');
			await type.getByText('any', { exact: true }).waitFor();
			await tray().locator('#node-input-operation').selectOption('create');
			await type.getByText('choose one', { exact: true }).waitFor();
			const seen: unknown[] = [];
			for (const kind of ['fiat', 'crypto', 'fiat']) {
				await choose('recipient_type', kind);
				seen.push(await currency());
			}
			await choose('currency', 'EUR');
			await choose('recipient_type', 'crypto');
			expect([...seen, await currency()]).toEqual(['NGN', '', 'NGN', 'EUR']);
			await leave();
			await edit('list-crypto');
			await type
				.getByText(/crypto/i)
				.first()
				.waitFor();
			await leave();
		});

		it('says nothing of messages where a node reads none', async () => {
			await edit('steering');
			await tip().getByText('such as advance_ms').waitFor();
			await tray().locator('#node-input-operation').selectOption('reset');
			await tip().waitFor({ state: 'hidden' });
			await leave();
		});
	});

	it('the demo is still the demo of its version when the editor stores it', async () => {
		const stored = await page.evaluate<FlowNode[]>('RED.nodes.createCompleteNodeSet()');
		expect(hasDemo(stored, demo)).toBe(true);
	});

	it('the demo lies beside the open sidebars at 1280 x 720', async () => {
		await page.setViewportSize({ width: 1280, height: 720 });
		await page.evaluate(`RED.workspaces.show('demo-tab')`);
		await page.locator('#demo-problems').waitFor();
		expect(await page.evaluate(COVERED)).toEqual([]);
		expect(await page.locator('.red-ui-flow-node-group').count()).toBe(demo.filter(({ x }) => x !== undefined).length);
	});

	// A zoom of 200 % leaves a page half of the pixels of a small laptop.
	it.each([...names, 'an account'])('at a zoom of 200 %% every part of the form of %s can be reached', async (name) => {
		await page.setViewportSize({ width: 640, height: 360 });
		const isAccount = name === 'an account';
		const edit = isAccount
			? `RED.editor.editConfig('', 'partner-exchange-account', 'account-one')`
			: `RED.editor.edit(RED.nodes.node(${JSON.stringify(name)}))`;
		const cancel = isAccount ? '#node-config-dialog-cancel' : '#node-dialog-cancel';
		await page.evaluate(edit);
		await page.locator(cancel).waitFor();
		// The sidebar slides in from the right.
		await page.waitForFunction(`getComputedStyle(document.querySelector('.red-ui-tray')).right === '0px'`);
		expect(await page.evaluate(UNREACHABLE)).toEqual([]);
		await page.locator(cancel).click();
		await page.locator('.red-ui-tray').waitFor({ state: 'detached' });
	});

	it('every form is set up without an error in the page', () => {
		expect(editor.problems).toEqual([]);
	});

	describe('the help in the editor', () => {
		beforeAll(async () => await page.setViewportSize({ width: 1280, height: 720 }));

		it('the help sets every property apart, and keeps what is before a colon in its text', async () => {
			const outside = await page.evaluate<string[]>(`RED.nodes.registry.getNodeTypes()
				.filter((type) => type.startsWith('partner-exchange-'))
				.flatMap((type) => {
					const help = $('<div>').html(RED.nodes.getNodeHelp(type));
					return help.find('dt').get().filter((name) => !name.closest('dl.message-properties')).map((name) => type + ' ' + name.textContent);
				})`);
			expect(outside).toEqual([]);
			const help = `$('<div>').html(RED.nodes.getNodeHelp('partner-exchange-resolve-order')).text()`;
			expect(await page.evaluate(help)).toContain('which should never be: look at them at once');
			const outputs = `$('<div>').html(RED.nodes.getNodeHelp('partner-exchange-events')).find('ol.node-ports > li').length`;
			expect(await page.evaluate(outputs)).toBe(3);
		});

		it('no help page is wider than the sidebar, and none has a link that leads nowhere', async () => {
			await page.evaluate(`RED.actions.invoke('core:show-help-tab')`);
			for (const name of ['account', 'create-order', 'recipients', 'sandbox', 'events', 'alerts']) {
				await page.evaluate(`RED.sidebar.help.show('partner-exchange-${name}')`);
				const sidebar = page.locator('.red-ui-sidebar-help-stack .red-ui-help').first();
				await sidebar.locator('h3', { hasText: 'Details' }).waitFor();
				const wide = await sidebar.evaluate((help) => help.scrollWidth > help.clientWidth);
				expect({ name, wide, links: await sidebar.locator('a[href^="mailto:"]').count() }).toEqual({
					...{ name, wide: false, links: 0 },
				});
			}
		});
	});
});
