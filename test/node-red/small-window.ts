import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { palette } from '../../packages/node-red/src/palette';
import { openEditor, type Editor } from './editor-page';
import { node, packageFolder } from './flows';
import type { FlowNode } from '../support/node-red';

const names = [...palette.map(({ name }) => name), 'events', 'alerts'];

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

const SIZES = {
	'1280 x 720': { width: 1280, height: 720 },
	/** A zoom leaves a page that part of its pixels. */
	'1280 x 720 at a zoom of 200 %': { width: 640, height: 360 },
};

/** Disabled, so that it does not trade. */
const demo = (
	JSON.parse(readFileSync(join(packageFolder, '../../examples/node-red/demo.json'), 'utf8')) as FlowNode[]
).map((each) => (each.type === 'tab' ? { ...each, disabled: true } : each));

describe('a window of 1280 x 720', () => {
	let editor: Editor;

	beforeAll(async () => {
		const nodes = [...names.flatMap((name) => node(name, name)), ...demo];
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

	it.each(names)('shows all of the form of %s, also at a zoom of 200 %%', async (name) => {
		const edit = `RED.editor.edit(RED.nodes.node(${JSON.stringify(name)}))`;
		expect(await unreachable(edit, '#node-dialog-cancel')).toEqual(nothing);
	});

	it('shows all of the form of an account, also at a zoom of 200 %', async () => {
		const edit = `RED.editor.editConfig('', 'partner-exchange-account', 'account-one')`;
		expect(await unreachable(edit, '#node-config-dialog-cancel')).toEqual(nothing);
	});

	it('sets up every form without an error', () => {
		expect(editor.problems).toEqual([]);
	});

	it('shows all of the demo beside the open sidebars', async () => {
		const { page } = editor;
		await page.setViewportSize(SIZES['1280 x 720']);
		await page.evaluate(`RED.workspaces.show('demo-tab')`);
		await page.locator('#demo-problems').waitFor();
		expect(await page.evaluate(COVERED)).toEqual([]);
		expect(await page.locator('.red-ui-flow-node-group').count()).toBe(demo.filter(({ x }) => x !== undefined).length);
	});
});
