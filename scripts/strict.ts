/**
 * The rules that n8n's own tool lints a package with in strict mode, on the part of this repository that is the n8n
 * package. The tool itself lints everything below its folder, which here are also tests, scripts and a sandbox.
 */
import { join } from 'node:path';
import type { Linter } from 'eslint';
import type { Scan } from './scan';

interface Configs {
	configs: { recommended: Linter.Config | Linter.Config[] };
}

// A module name in a constant keeps the compiler from resolving what has no types.
const JAVASCRIPT = '@eslint/js';
const COMMUNITY = '@n8n/eslint-plugin-community-nodes';

export async function strict(root: string): Promise<Scan> {
	const { ESLint } = await import('eslint');
	const eslint = new ESLint({
		cwd: root,
		overrideConfigFile: true,
		allowInlineConfig: false,
		overrideConfig: await strictRules(),
	});
	const results = await eslint.lintFiles(['nodes', 'credentials'].map((folder) => join(folder, '**', '*.ts')));
	const findings = results.flatMap(({ filePath, messages }) =>
		messages.map(({ line, ruleId, message }) => `${filePath.slice(root.length + 1)}:${line} ${ruleId}: ${message}`),
	);
	return { name: 'STRICT', passed: findings.length === 0, details: findings.join('\n') };
}

async function strictRules(): Promise<Linter.Config[]> {
	const { default: javascript } = (await import(JAVASCRIPT)) as { default: Configs };
	const { default: typescript } = (await import('typescript-eslint')) as unknown as { default: Configs };
	const { n8nCommunityNodesPlugin } = (await import(COMMUNITY)) as { n8nCommunityNodesPlugin: Configs };
	const shared = [javascript, typescript, n8nCommunityNodesPlugin].flatMap(({ configs }) => configs.recommended);
	return [...shared, { rules: { 'prefer-spread': 'off', 'no-console': 'error' } }];
}
