import type { Locator } from 'playwright-core';
import { until } from '../support/condition';
import { openEditor, type Editor } from './editor-page';
import { node } from './flows';

/** What a person sees of a flow that runs: the labels and statuses of the canvas, and the debug sidebar. */
describe('the editor beside a running flow', () => {
	let editor: Editor;

	beforeAll(async () => {
		const market = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '10', wait: 'final' };
		const nodes = [
			...node('buyer', 'create-order', market),
			...node('seller', 'create-order', { ...market, side: 'sell', order_type: 'limit', price: '1600.00' }),
			...node('from-message', 'create-order', { ...market, pair_id: 'payload.pair', pair_idType: 'msg' }),
			...node('list', 'wallet', { operation: 'currencies' }, 1),
			...node('pay-in', 'simulate-deposit', { operation: 'fiatDeposit' }, 1),
			...node('no-pair', 'create-order', { ...market, pair_id: 'USD/NGM' }),
			...node('no-market', 'events', { topics: ['trades'], pairs: ['USD/NGM'] }),
		];
		editor = await openEditor(nodes, { viewport: { width: 1400, height: 1000 } }, { marketMaker: true });
	});
	afterAll(async () => await editor?.close());

	const textOf = async (id: string, part: string): Promise<string> =>
		((await editor.page.locator(`[id="${id}"] .red-ui-flow-node-${part}`).allTextContents()) ?? []).join(' ');
	const shows = async (id: string, text: string): Promise<void> =>
		void (await until(async () => (await textOf(id, 'status-label')) === text, {
			what: `${id} to show ${text}`,
			seen: () => editor.nodeRed.statuses.slice(-4),
		}));
	const messages = (): Locator => editor.page.locator('.red-ui-debug-msg-payload');

	it.each([
		['buyer', 'buy 10 USD'],
		['seller', 'sell 10 USD at 1600.00'],
		['from-message', 'create order'],
		['list', 'wallet: get currencies'],
		['pay-in', 'simulate fiat deposit'],
	])('the editor labels the node %s with what it will do: %s', async (id, label) => {
		expect((await textOf(id, 'label')).replace(/\s+/g, ' ').trim().toLowerCase()).toBe(label.toLowerCase());
	});

	it('the editor shows under a filled order what it bought', async () => {
		await editor.nodeRed.send('buyer', { payload: {} });
		await shows('buyer', 'bought 10.00 USD');
	});

	it('the editor shows under a list how long it was', async () => {
		await editor.nodeRed.send('list', { payload: {} });
		await shows('list', '2 results');
	});

	it.each([
		['no-pair', 'Pair', async () => await editor.nodeRed.send('no-pair', { payload: {} })],
		['no-market', 'Pairs', async () => await editor.nodeRed.deploy(await editor.nodeRed.api('/flows'))],
	])(
		'the editor shows under %s which field is at fault, and the whole sentence in the debug sidebar',
		async (id, field, act) => {
			await editor.page.evaluate(`RED.sidebar.show('debug')`);
			const sentence = /^"[A-Z][^{}]*There is no pair USD\/NGM\. The service offers USD\/NGN.*"$/;
			const report = async (): Promise<number> =>
				(await messages().allTextContents()).filter((text) => sentence.test(text)).length;
			const before = await report();
			await act();
			await shows(id, `invalid input · ${field}`);
			await until(async () => (await report()) > before, { what: 'the sentence' });
		},
	);

	it('the running flow causes no error in the page', () => {
		expect(editor.problems).toEqual([]);
	});
});
