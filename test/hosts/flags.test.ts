import { execFile } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

interface End {
	code: number;
	said: string;
}

/** Runs a script the way npm does, until it exits. */
async function run(script: string, ...flags: string[]): Promise<End> {
	const args = ['--import', 'tsx', join(root, 'scripts', `${script}.ts`), ...flags];
	return await new Promise((resolve) =>
		execFile(process.execPath, args, { cwd: root, timeout: 300_000 }, (error, out, problem) =>
			resolve({ code: error ? Number(error.code) : 0, said: out + problem }),
		),
	);
}

const flagsOf: Record<string, string[]> = {
	start: ['--sandbox-port PORT', '--node-red-port PORT', '--folder FOLDER', '--no-build', '--help'],
	'start-n8n': ['--sandbox-port PORT', '--n8n-port PORT', '--folder FOLDER', '--no-build', '--help'],
	sandbox: ['--port NUMBER', '--data FILE', '--production', '--help'],
};

describe.each(Object.keys(flagsOf))('the script %s', (script) => {
	it('a script explains its flags when asked, and starts nothing', async () => {
		const { code, said } = await run(script, '--help');
		expect(code).toBe(0);
		for (const flag of flagsOf[script]!) expect(said).toContain(`  ${flag}`);
		expect(said).not.toMatch(/http:|Building|Starting/);
	});
});

it('a script names the flags it knows when one is mistyped', async () => {
	const { code, said } = await run('start', '--prot', '4011');
	expect(code).toBe(1);
	expect(said).toContain("Unknown option '--prot'");
	for (const flag of flagsOf['start']!) expect(said).toContain(flag.split(' ')[0]!);
});
