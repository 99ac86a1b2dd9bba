import type { Page } from 'playwright-core';
import type { tables } from '../../packages/node-red/build/languages';
import { until } from '../support/condition';
import { openEditor, type Editor } from './editor-page';
import { CONNECTED, node } from './flows';

/** The width of a small laptop, where a dialog that grows with its texts is cut off on the right. */
const SMALL = { width: 1024, height: 768 };

type Words = Readonly<Record<'palette' | 'pair' | 'example' | 'status' | 'help', string>>;

const expected: Readonly<Record<keyof typeof tables, Words>> = {
	de: {
		palette: 'Order aufgeben (Handel: USD gegen Naira kaufen, verkaufen)',
		pair: 'Handelspaar',
		example: 'z. B. 100.00',
		status: 'verbunden',
		help: 'Eingaben',
	},
	fr: {
		palette: 'passer un ordre (négoce : acheter, vendre des USD contre des nairas)',
		pair: 'Paire',
		example: 'p. ex. 100.00',
		status: 'connecté',
		help: 'Entrées',
	},
};

describe.each(Object.entries(expected))('the editor in the language %s', (language, words) => {
	let editor: Editor;
	let page: Page;

	beforeAll(async () => {
		const nodes = [
			...node('create', 'create-order', { quantity: '' }),
			...node('events', 'events', { topics: ['trades'], pairs: ['USD/NGN'], control: true, inputs: 1, outputs: 2 }),
		];
		editor = await openEditor(nodes, { viewport: SMALL, language });
		page = editor.page;
	});
	afterAll(async () => await editor?.close());

	it('the palette calls the nodes by what they do in the language of the editor', async () => {
		const label = page.locator('[data-palette-type="partner-exchange-create-order"] .red-ui-palette-label');
		expect((await label.textContent())!.replace(/\s+/g, ' ').trim()).toBe(words.palette);
	});

	it.each(['create', 'events'])(
		'the form of %s fits into its dialog in the language of the editor, whole labels included',
		async (id) => {
			await page.evaluate(`RED.editor.edit(RED.nodes.node(${JSON.stringify(id)}))`);
			await page.locator('.partner-exchange-form').waitFor();
			await page.evaluate(`document.querySelectorAll('.red-ui-tray details').forEach((one) => (one.open = true))`);
			const cut = `[...document.querySelectorAll('.red-ui-tray .form-row')].filter((row) => row.offsetParent)
			.flatMap((row) => [row, ...row.querySelectorAll('label, input, select, .red-ui-typedInput-container')])
			.filter((part) => part.offsetParent && part.getBoundingClientRect().right > document.querySelector('.red-ui-tray').getBoundingClientRect().right + 1
				|| getComputedStyle(part).display !== 'inline' && part.tagName === 'LABEL' && part.scrollWidth > part.clientWidth + 1)
			.map((part) => part.textContent || part.id)`;
			expect(await page.evaluate(cut)).toEqual([]);
			expect(await page.locator('.red-ui-tray .form-row label:visible').allTextContents()).not.toContain('');
			if (id === 'create') {
				expect(await page.locator('.red-ui-tray label').allTextContents()).toContain(words.pair);
				await page.locator(`.red-ui-tray input[placeholder="${words.example}"]:visible`).first().waitFor();
			}
			await page.locator('#node-dialog-cancel').click();
			await page.locator('.red-ui-tray').waitFor({ state: 'detached' });
		},
	);

	it('a status is shown in the language of the editor, also with numbers', async () => {
		await editor.nodeRed.waitForStatus('events', CONNECTED);
		const show = (): Promise<string | null> => page.locator('#events .red-ui-flow-node-status-label').textContent();
		await until(async () => (await show())?.toLowerCase().startsWith(words.status), {
			what: `the status ${words.status}`,
		});
		const say = `RED.nodes.node('events')._('connected · 12 · 3 filtered')`;
		expect(await page.evaluate(say)).toMatch(new RegExp(`^${words.status} · 12 · 3 (?!filtered)\\S+$`));
	});

	it('a status names the field at fault as the form calls it in the language of the editor', async () => {
		const say = `RED.nodes.node('create')._('invalid input · Pair')`;
		expect(String(await page.evaluate(say)).split(' · ')[1]).toBe(words.pair);
	});

	it('the help is shown in the language of the editor', async () => {
		await page.evaluate(`RED.sidebar.help.show('partner-exchange-create-order')`);
		await page.locator('.red-ui-help h3', { hasText: words.help }).first().waitFor();
	});

	it('the language of the editor causes no error in the page', () => {
		expect(editor.problems).toEqual([]);
	});
});
