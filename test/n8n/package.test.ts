import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addSourceMaps } from '../../scripts/hosts/package';
import { PartnerExchangeApi } from '../../credentials/PartnerExchangeApi.credentials';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { formOperations } from '../../nodes/shared/form/names';

const root = join(__dirname, '..', '..');
const built = (...parts: string[]) => join(root, 'dist', ...parts);

const classes = { PartnerExchangeApi, PartnerExchange, PartnerExchangeTrigger, PartnerExchangeAlertTrigger };
const FILES: Record<keyof typeof classes, string> = {
	PartnerExchangeApi: 'credentials/PartnerExchangeApi.credentials.js',
	PartnerExchange: 'nodes/PartnerExchange/PartnerExchange.node.js',
	PartnerExchangeTrigger: 'nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node.js',
	PartnerExchangeAlertTrigger: 'nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node.js',
};

// npm publishes the build's output, so the test builds it the same way.
beforeAll(() => {
	const script = `import(${JSON.stringify(join(root, 'build', 'n8n.mjs'))}).then(({ build }) => build())`;
	if (!existsSync(built('nodes', 'bundle.js'))) execFileSync(process.execPath, ['-e', script], { cwd: root });
});

describe('the built n8n package', () => {
	it('the built package names functions in a stack trace, and its map leads to the source', async () => {
		// The published bundle names no map, so that of a debugger is laid beside a copy.
		const copy = join(root, 'node_modules', '.cache', 'mapped');
		cpSync(built(), join(copy, 'dist'), { recursive: true });
		await addSourceMaps(root, copy);
		const traced = (...flags: string[]): string => {
			const folder = flags.length > 0 ? join(copy, 'dist') : built();
			const program = `
				const { PartnerExchange } = require(${JSON.stringify(join(folder, FILES.PartnerExchange))});
				new PartnerExchange().execute.call({}).catch(({ stack }) => console.log(stack));`;
			return execFileSync(process.execPath, [...flags, '-e', program], { cwd: root, encoding: 'utf8' });
		};
		expect(traced()).toMatch(/at (async )?(Object\.)?execute \(.*dist\/nodes\/bundle\.js:\d+:\d+\)/);
		expect(traced('--enable-source-maps')).toMatch(
			/at (async )?(Object\.)?execute \(.*nodes\/shared\/action\/execute\.ts:\d+:\d+\)/,
		);
	});

	it('the built package tells n8n of each class what its source tells, and loads nothing else for that', () => {
		const program = `
			const made = Object.entries(${JSON.stringify(FILES)}).map(([name, file]) => [
				name,
				(${String(toldBy)})(new (require(${JSON.stringify(built())} + '/' + file)[name])()),
			]);
			console.log(JSON.stringify({ told: Object.fromEntries(made), loaded: Object.keys(require.cache).length }));`;
		const told = execFileSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 24 });
		const source = Object.entries(classes).map(([name, made]) => [name, toldBy(new made())]);
		expect(JSON.parse(told)).toEqual({
			told: JSON.parse(JSON.stringify(Object.fromEntries(source))) as object,
			loaded: source.length,
		});
	});

	it('the built package previews the output of every operation and trigger in the files n8n looks for', () => {
		const files = [
			...formOperations.map(
				({ resource, operation }) => `PartnerExchange/__schema__/v1.0.0/${resource}/${operation}.json`,
			),
			...['PartnerExchangeTrigger', 'PartnerExchangeAlertTrigger'].map((node) => `${node}/__schema__/v1.0.0.json`),
		];
		for (const file of files) {
			const schema = JSON.parse(readFileSync(built('nodes', file), 'utf8')) as { type: string; properties: object };
			expect(schema.type).toBe('object');
			expect({ file, isEmpty: Object.keys(schema.properties).length === 0 }).toEqual({ file, isEmpty: false });
		}
	});
});

/** What n8n reads of a class, and the names of what it calls. Runs in the other process too. */
function toldBy(made: object): object {
	const { methods = {}, ...told } = made as { methods?: Record<string, object> };
	return {
		...told,
		methods: Object.entries(methods).map(([group, of]) => [group, Object.keys(of)]),
		verbs: Object.getOwnPropertyNames(Object.getPrototypeOf(made)),
	};
}
