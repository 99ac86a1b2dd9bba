import { openEditor, type Editor } from './editor-page';
import { node } from './flows';

describe('the help in the editor', () => {
	let editor: Editor;
	beforeAll(async () => {
		editor = await openEditor(node('create', 'create-order'), { viewport: { width: 1280, height: 720 } });
	});
	afterAll(async () => await editor?.close());

	it('the help sets every property apart, and keeps what is before a colon in its text', async () => {
		const outside = await editor.page.evaluate<string[]>(`RED.nodes.registry.getNodeTypes()
			.filter((type) => type.startsWith('partner-exchange-'))
			.flatMap((type) => {
				const help = $('<div>').html(RED.nodes.getNodeHelp(type));
				return help.find('dt').get().filter((name) => !name.closest('dl.message-properties')).map((name) => type + ' ' + name.textContent);
			})`);
		expect(outside).toEqual([]);
		const help = `$('<div>').html(RED.nodes.getNodeHelp('partner-exchange-resolve-order')).text()`;
		expect(await editor.page.evaluate(help)).toContain('which should never be: look at them at once');
	});
});
