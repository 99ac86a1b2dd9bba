/** The clocks of a reader and a consumer, which can be set while they run. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/condition';
import type { Role } from './parties';
import type { Stage } from './stage';

export interface Clocks {
	/** For the hosts. */
	env: Record<Role, NodeJS.ProcessEnv>;
	/** Sets them so many milliseconds ahead, and waits until the hosts have noticed. */
	set: (stage: Stage, ahead: Partial<Record<Role, number>>) => Promise<void>;
	close: () => Promise<void>;
}

const program = join(__dirname, '..', '..', 'support', 'settable-clock.js');

export async function openClocks(): Promise<Clocks> {
	const folder = await mkdtemp(join(tmpdir(), 'clocks-'));
	const fileOf = (role: Role): string => join(folder, role);
	const envOf = (role: Role): NodeJS.ProcessEnv => ({
		NODE_OPTIONS: `--require "${program}"`,
		CLOCK_FILE: fileOf(role),
		// The newer engine of n8n runs expressions apart, by a clock that nobody can set.
		N8N_EXPRESSION_ENGINE: 'legacy',
	});
	for (const role of ['reader', 'consumer'] as const) await writeFile(fileOf(role), '0');
	return {
		env: { reader: envOf('reader'), consumer: envOf('consumer') },
		set: async (stage, ahead) => {
			for (const [role, aheadMs] of Object.entries(ahead) as [Role, number][]) {
				await writeFile(fileOf(role), String(aheadMs));
				const isSet = (): boolean => stage[role].log().includes(`The clock is ${aheadMs} ms ahead`);
				await until(isSet, { what: `the clock to be ${aheadMs} ms ahead`, seen: stage[role].log });
			}
		},
		close: async () => await rm(folder, { recursive: true, force: true }),
	};
}
