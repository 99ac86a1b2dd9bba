import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isOrderWrite, operationIds, operationOf } from '@partner-exchange/core/catalogue';
import { palette } from '../../packages/node-red/src/palette';
import { ACCOUNT_TYPE, EVENTS_TYPE, ALERTS_TYPE } from '../../packages/node-red/src/types';
import { supported } from '../../scripts/hosts/versions';
import type { FlowNode } from '../support/node-red';
import { packageFolder } from './flows';

const read = (path: string) => readFileSync(join(packageFolder, 'dist', path), 'utf8');
const types = [ACCOUNT_TYPE, ...palette.map(({ type }) => type), EVENTS_TYPE, ALERTS_TYPE];
const html = read('partner-exchange.html');
const help = read('locales/en-US/partner-exchange.html');
const locale = JSON.parse(read('locales/en-US/partner-exchange.json')) as Record<string, unknown>;
const formOf = (type: string): string => html.split(`data-template-name="${type}"`)[1]!.split('</script>')[0]!;
const definitionOf = (type: string): string => html.split(`RED.nodes.registerType('${type}', {`)[1]!.split('\n});')[0]!;
const flows = ['examples', 'examples/jobs', '../../examples/node-red']
	.flatMap((folder) => readdirSync(join(packageFolder, folder)).map((name) => `${folder}/${name}`))
	.filter((name) => name.endsWith('.json'))
	.concat('../../examples/compose/node-red/flows.json', '../../examples/brokers/node-red-watch.json');
const word = (key: string): unknown =>
	key.split('.').reduce<unknown>((words, name) => (words as Record<string, unknown> | undefined)?.[name], locale);

describe('the generated editor files', () => {
	it('the editor files offer every operation of the catalogue in exactly one node', () => {
		expect(palette.flatMap(({ offers }) => offers.map(({ id }) => id)).sort()).toEqual([...operationIds].sort());
		for (const { type, offers } of palette)
			for (const { operation } of offers) expect(type).toBe(`partner-exchange-${operation.palette}`);
	});

	it.each(types)('the editor files register %s by a literal, with a form, help and an icon', (type) => {
		expect(html.split(`registerType('${type}', {`)).toHaveLength(2);
		expect(formOf(type)).toContain('form-row');
		const page = help.split(`data-help-name="${type}">`)[1]!.split('</script>')[0]!.trim();
		expect(page).toMatch(/^[A-Z].*\.$/m);
		expect(page).toMatch(/### Details/);
		expect(page).not.toMatch(/^[ \t]/m);
		if (type === ACCOUNT_TYPE) return;
		const icon = /icon: '([a-z-]+\.svg)'/.exec(definitionOf(type))![1]!;
		expect(read(`icons/${icon}`)).toMatch(/^<svg .*#fff/);
	});

	it.each(palette.map((node) => [node.type, node] as const))(
		'the editor files show every field of %s with a label and help, and keep its value',
		(type, node) => {
			for (const { id, operation, verb } of node.offers) {
				for (const name of [...Object.keys(operation.input), ...(operation.options ?? [])]) {
					if (operation.list && name === 'limit') continue;
					const row = node.rows.find((row) => row.name === name)!;
					expect({ id, name, verbs: row.verbs.includes(verb) }).toEqual({ id, name, verbs: true });
					expect(formOf(type)).toContain(`id="node-input-${row.property}"`);
					expect(formOf(type)).toContain(`id="node-input-${row.property}Type"`);
					expect(definitionOf(type)).toContain(`\t\t${row.property}: { value: `);
					expect(word(`${node.name}.fields.${name}`)).toMatchObject({
						label: expect.stringMatching(/\S/),
						help: expect.stringMatching(/\S/),
					});
				}
			}
		},
	);

	it('the editor files call the values of a choice what the catalogue calls them, in the case of Node-RED', () => {
		expect(word('create-order.fields.wait.values')).toEqual({
			none: 'none (continue at once)',
			accepted: 'accepted (in the order book)',
			final: 'final (filled or ended)',
		});
		const keys = [...html.matchAll(/data-values="([^"]+)" data-words="([^"]+)"/g)].flatMap(([, values, key]) =>
			values!.split(' ').map((value) => `${key}.${value}`),
		);
		expect(keys.filter((key) => typeof word(key) !== 'string')).toEqual([]);
		expect(keys.length).toBeGreaterThan(20);
	});

	it('the help calls a field what its form calls it, within a sentence too', () => {
		expect(help).toContain('also too late for Wait until (time_limit)');
		expect(help).toContain('not allowed together with a Business key.');
		expect(help).toContain('With Wait until or Wait until settled&#58; how far');
		expect(help).toContain('find out with resolve order or by reading the list');
	});

	it('the editor files translate every word they refer to', () => {
		const keys = [...html.matchAll(/data-i18n="([^"]+)"/g)].map(([, key]) => key!.replace(/^\[\w+\]/, ''));
		expect(keys.filter((key) => typeof word(key) !== 'string')).toEqual([]);
		expect(keys.length).toBeGreaterThan(100);
	});

	it('the editor files give order writes a second output, and nothing else', () => {
		for (const { type, outputs, offers } of palette) {
			expect({ type, outputs }).toEqual({
				type,
				outputs: offers.some(({ id }) => isOrderWrite(operationOf(id))) ? 2 : 1,
			});
			expect(definitionOf(type)).toContain(`outputs: ${outputs},`);
		}
	});

	it.each(flows)('%s stores of a node what its form does, with as many ports as its switches make', (path) => {
		const flow = JSON.parse(readFileSync(join(packageFolder, path), 'utf8')) as FlowNode[];
		const nodes = flow.filter(({ type }) => types.includes(type));
		expect(nodes).not.toEqual([]);
		for (const { id, type, z, x, y, wires, ...stored } of nodes)
			expect(Object.keys(stored).filter((name) => !definitionOf(type).includes(`\t\t${name}: {`))).toEqual([]);
		for (const node of nodes.filter(({ type }) => type === EVENTS_TYPE)) {
			const { inputs = 0, outputs = 2, taken, control, notices } = node;
			expect(inputs).toBe(taken === 'back' || control ? 1 : 0);
			expect(outputs).toBe(1 + Number(notices ?? false) + Number(control ?? false));
		}
	});

	it('the editor files declare key and token as passwords and nowhere else', () => {
		expect(definitionOf(ACCOUNT_TYPE)).toMatch(
			/credentials: \{\s*apiKey: \{ type: 'password' \},\s*controlToken: \{ type: 'password' \},\s*\}/,
		);
		expect(definitionOf(ACCOUNT_TYPE).split('credentials')[0]).not.toMatch(/apiKey|controlToken/);
	});

	it('the editor files are built into a package that needs nothing else at run time', () => {
		const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as Record<string, unknown>;
		expect(manifest.dependencies ?? {}).toEqual({});
		const runtime = read('partner-exchange.js');
		const required = new Set(
			[...runtime.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name!.replace(/^node:/, '')),
		);
		const builtin = new Set(process.getBuiltinModule('node:module').builtinModules);
		expect([...required].filter((name) => !builtin.has(name)).sort()).toEqual(['bufferutil', 'utf-8-validate']);
	});
});

/** The size limit of the runtime bundle. A change that raises it states the reason in docs/performance.md. */
const RUNTIME_BYTES_MAX = 1_100_000;
const EDITOR_BYTES_MAX = 230_000;

describe('the bundle of the Node-RED package', () => {
	it('the bundle stays within its size limit', () => {
		expect(statSync(join(packageFolder, 'dist/partner-exchange.js')).size).toBeLessThan(RUNTIME_BYTES_MAX);
		expect(statSync(join(packageFolder, 'dist/partner-exchange.html')).size).toBeLessThan(EDITOR_BYTES_MAX);
	});

	it('the bundle leaves out what nothing here uses: uploads, other ways of axios, the server of ws, debug printing', () => {
		const text = readFileSync(join(packageFolder, 'dist/partner-exchange.js'), 'utf8');
		for (const stranger of ['mime-db', 'application/vnd.', 'XMLHttpRequest is not', 'class WebSocketServer'])
			expect({ stranger, found: text.includes(stranger) }).toEqual({ stranger, found: false });
		const notices = readFileSync(join(packageFolder, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
		expect(notices).not.toMatch(/mime-db|form-data|supports-color/);
		expect(notices).toMatch(/axios/);
	});
});

describe('the package as the Flow Library reads it', () => {
	const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
		keywords: string[];
		'node-red': { version: string };
	};

	it('the package carries the keyword without which the library does not list it', () => {
		expect(manifest.keywords).toContain('node-red');
	});

	it('the package allows every version of Node-RED that is tested', () => {
		const oldest = Number(/^>=(\d+)\.0\.0$/.exec(manifest['node-red'].version)![1]);
		for (const version of supported.nodeRed) expect(Number(version.split('.')[0])).toBeGreaterThanOrEqual(oldest);
	});

	it('the package has a page whose pictures exist', () => {
		const page = readFileSync(join(packageFolder, 'README.md'), 'utf8');
		const images = [...page.matchAll(/\]\(https:\/\/raw\.githubusercontent\.com\/[^)]+\/main\/([^)]+)\)/g)];
		expect(images.length).toBeGreaterThan(1);
		for (const [, path] of images)
			expect(String(readFileSync(join(packageFolder, '../..', path!)).subarray(1, 4))).toBe('PNG');
	});
});
