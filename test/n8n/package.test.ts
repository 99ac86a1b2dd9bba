import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addSourceMaps } from '../../scripts/hosts/package';
import { formOperations } from '../../nodes/shared/form/names';

const root = join(__dirname, '..', '..');
const built = (...parts: string[]) => join(root, 'dist', ...parts);

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
				const { PartnerExchange } = require(${JSON.stringify(join(folder, 'nodes', 'bundle.js'))});
				new PartnerExchange().execute.call({}).catch(({ stack }) => console.log(stack));`;
			return execFileSync(process.execPath, [...flags, '-e', program], { cwd: root, encoding: 'utf8' });
		};
		expect(traced()).toMatch(/at (async )?execute \(.*dist\/nodes\/bundle\.js:\d+:\d+\)/);
		expect(traced('--enable-source-maps')).toMatch(
			/at (async )?execute \(.*nodes\/shared\/action\/execute\.ts:\d+:\d+\)/,
		);
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
