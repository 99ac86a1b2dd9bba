import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..', '..');
const { exports: doors } = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8')) as {
	exports: Record<string, { types: string; import: { types: string } }>;
};

describe("TypeScript's resolution of a door of the core", () => {
	const kinds = ['Node10', 'Node16', 'Bundler'] as const;
	it.each(Object.keys(doors).flatMap((door) => kinds.map((kind) => [kind, door] as const)))(
		'TypeScript with resolution %s finds the types of %s',
		(kind, door) => {
			const options = { moduleResolution: ts.ModuleResolutionKind[kind], module: ts.ModuleKind.Node16 };
			const name = join('@partner-exchange/core', door);
			const { resolvedModule } = ts.resolveModuleName(name, join(root, 'examples/core/any.ts'), options, ts.sys);
			// A bundler takes the modules, and everybody here the other form.
			const { types } = kind === 'Bundler' ? doors[door]!.import : doors[door]!;
			expect(resolvedModule?.resolvedFileName).toBe(join(root, 'packages/core', types));
		},
	);
});
