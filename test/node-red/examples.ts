import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { palette } from '../../packages/node-red/src/palette';
import { EVENTS_TYPE, ALERTS_TYPE } from '../../packages/node-red/src/types';
import type { FlowNode } from '../support/node-red';
import { until } from '../support/condition';
import { account, packageFolder, type Bench } from './flows';
import { openCommonBench } from './common-bench';
import { forAll } from '../support/opened';

const folder = join(packageFolder, 'examples');
const ofNodes = readdirSync(folder).filter((name) => name.endsWith('.json'));
const names = [...ofNodes, ...readdirSync(join(folder, 'jobs')).map((name) => `jobs/${name}`)];
const flowOf = (name: string): FlowNode[] => JSON.parse(readFileSync(join(folder, name), 'utf8')) as FlowNode[];

describe('the examples of the package', () => {
	it('the examples share no ID, so that none asks a question when it is imported after another', () => {
		const ids = names.flatMap((name) => flowOf(name).map(({ id }) => id));
		expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
	});

	it('the examples show every node of the palette', () => {
		const rows = new Set(ofNodes.flatMap((name) => flowOf(name).map(({ type }) => type)));
		for (const type of [...palette.map((node) => node.type), EVENTS_TYPE, ALERTS_TYPE]) expect(rows).toContain(type);
		expect(ofNodes).toEqual([...palette.map(({ name }) => `${name}.json`), 'events.json', 'alerts.json'].sort());
	});

	it.each(names)(
		'the example %s explains itself, holds no key, and uses only our nodes and those of Node-RED',
		(name) => {
			const flow = flowOf(name);
			expect(flow.some(({ type }) => type === 'comment')).toBe(true);
			expect(JSON.stringify(flow)).not.toMatch(/apiKey|credentials|sandbox-key/);
			// Accounts in the examples would add accounts without a key, and a question about duplicates at each import.
			expect(flow.filter(({ type }) => type === 'partner-exchange-account')).toEqual([]);
			for (const node of flow.filter(({ type }) => type.startsWith('partner-exchange-'))) expect(node.account).toBe('');
			const stored =
				/^(tab|comment|inject|debug|catch|function|change|switch|template|csv|delay|file|link (in|out)|partner-exchange-[a-z-]+)$/;
			expect(flow.map(({ type }) => type).filter((type) => !stored.test(type))).toEqual([]);
			const ids = new Set(flow.map(({ id }) => id));
			expect(flow.flatMap(({ wires }) => ((wires ?? []) as string[][]).flat()).filter((id) => !ids.has(id))).toEqual(
				[],
			);
		},
	);

	it('the demo lays no node over another, and resolves an unknown order', () => {
		const path = join(packageFolder, '../../examples/node-red/demo.json');
		const demo = JSON.parse(readFileSync(path, 'utf8')) as (FlowNode & {
			x?: number;
			y?: number;
			wires?: string[][];
		})[];
		const places = demo.map(({ x, y }) => (x === undefined ? undefined : `${x}/${y}`)).filter(Boolean);
		expect(new Set(places).size).toBe(places.length);
		const [, unknown] = demo.find(({ type }) => type === 'partner-exchange-create-order')!.wires!;
		expect(demo.find(({ id }) => id === unknown![0])?.type).toBe('partner-exchange-resolve-order');
	});

	describe('in a real Node-RED', () => {
		const bench = forAll(() => openCommonBench({ marketMaker: true }));
		/** The account a person adds once; the editor assigns it to every node that names none. */
		const withAccount = (flow: FlowNode[]): FlowNode[] => [
			account(bench.sandbox),
			...flow.map((node) => (node.account === '' ? { ...node, account: 'account-one' } : node)),
		];

		it.each(ofNodes.filter((name) => !name.includes('events')))(
			'the example %s does what it shows in a real Node-RED, without an error',
			async (name) => {
				const flow = withAccount(flowOf(name));
				await bench.nodeRed.deploy(flow);
				bench.nodeRed.forget();
				// One button after the other, as a person presses them: one flow may remove what another saved.
				for (const { id } of flow.filter(({ type }) => type === 'inject')) {
					const before = bench.nodeRed.messages.length;
					await bench.nodeRed.api(`/inject/${id}`, { method: 'POST' });
					await until(() => bench.nodeRed.messages.length > before && isQuiet(bench), {
						what: 'the flow to end',
						seen: () => bench.nodeRed.completions.slice(-5),
					});
				}
				expect(bench.nodeRed.completions.filter(({ error }) => error)).toEqual([]);
			},
		);
	});
});

/**
 * Each node has completed every message it received, and nodes send before they complete: so no message is in flight.
 */
function isQuiet({ nodeRed: { messages, completions } }: Bench): boolean {
	const reached = new Set(messages.map(({ to }) => to));
	return completions.filter(({ node }) => reached.has(node)).length === messages.length;
}
