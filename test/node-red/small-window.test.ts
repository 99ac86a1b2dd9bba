import { palette } from '../../packages/node-red/src/palette';
import { openEditor, type Editor } from './editor-page';
import { node } from './flows';

const names = [...palette.map(({ name }) => name), 'events', 'wallet-events'];

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

const SIZES = {
	'1280 x 720': { width: 1280, height: 720 },
	/** A zoom leaves a page that part of its pixels. */
	'1280 x 720 at a zoom of 200 %': { width: 640, height: 360 },
};

describe('a dialog at 1280 x 720, also at a zoom of 200 %', () => {
	let editor: Editor;

	beforeAll(async () => {
		const nodes = names.flatMap((name) => node(name, name));
		editor = await openEditor(nodes, { viewport: SIZES['1280 x 720'] });
	});
	afterAll(async () => await editor?.close());

	async function unreachable(edit: string, cancel: string): Promise<Record<string, unknown>> {
		const { page } = editor;
		const parts: Record<string, unknown> = {};
		for (const [size, viewport] of Object.entries(SIZES)) {
			await page.setViewportSize(viewport);
			await page.evaluate(edit);
			await page.locator(cancel).waitFor();
			// It slides in from the right.
			await page.waitForFunction(`getComputedStyle(document.querySelector('.red-ui-tray')).right === '0px'`);
			parts[size] = await page.evaluate(UNREACHABLE);
			await page.locator(cancel).click();
			await page.locator('.red-ui-tray').waitFor({ state: 'detached' });
		}
		return parts;
	}
	const nothing = Object.fromEntries(Object.keys(SIZES).map((size) => [size, []]));

	it.each(names)('shows all of the form of %s', async (name) => {
		const edit = `RED.editor.edit(RED.nodes.node(${JSON.stringify(name)}))`;
		expect(await unreachable(edit, '#node-dialog-cancel')).toEqual(nothing);
	});

	it('shows all of the form of an account', async () => {
		const edit = `RED.editor.editConfig('', 'partner-exchange-account', 'account-one')`;
		expect(await unreachable(edit, '#node-config-dialog-cancel')).toEqual(nothing);
	});
});
