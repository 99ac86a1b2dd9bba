import { parseArgs } from 'node:util';
import { n8nCrowd } from './crowd/n8n';
import { n8nAlone } from './crowd/n8n-alone';
import { n8nBurst } from './crowd/n8n-burst';
import { nodeRedCrowd } from './crowd/node-red';
import { endWith } from './end';

/**
 * Many listeners in a complete host: `npm run bench:crowd -- n8n --listeners 100 --accounts 1`, or `node-red`; or
 * `n8n-alone`, as many workflows with a trigger of n8n's own; or `n8n-burst --events 50000 --per-second 3000`, as many
 * fills into one workflow. `--profiles FOLDER` keeps where n8n's time went.
 */

const LISTENERS_MAX = 1_000;

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			listeners: { type: 'string', default: '100' },
			accounts: { type: 'string', default: '1' },
			events: { type: 'string', default: '50000' },
			'events-per-execution': { type: 'string' },
			'per-second': { type: 'string' },
			profiles: { type: 'string' },
		},
	});
	const crowd = { listeners: Number(values.listeners), accounts: Number(values.accounts) };
	if (!(crowd.listeners > 0 && crowd.listeners <= LISTENERS_MAX && crowd.accounts <= crowd.listeners))
		throw new Error(`Name up to ${LISTENERS_MAX} listeners and no more accounts than those`);
	const [host = 'n8n'] = positionals;
	if (host === 'node-red') return await nodeRedCrowd(crowd);
	if (host === 'n8n-alone') return await n8nAlone(crowd.listeners, values.profiles);
	if (host === 'n8n-burst') {
		const [each, perSecond] = [numberOr(values['events-per-execution']), numberOr(values['per-second'])];
		return await n8nBurst({ events: Number(values.events), each, perSecond, profiles: values.profiles });
	}
	return await n8nCrowd(crowd, values.profiles);
}

const numberOr = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

endWith(main());
