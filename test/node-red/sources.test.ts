/** Each property of each action node, read from each place that its form offers. */
import RED, { type NodeAPI } from 'node-red';
import { readValues } from '../../packages/node-red/src/action/values';
import type { HostNode } from '../../packages/node-red/src/host/host-node';
import { palette } from '../../packages/node-red/src/palette';

const rows = palette.flatMap((form) =>
	form.offers.flatMap((offer) =>
		form.rows.filter(({ verbs }) => verbs.includes(offer.verb)).map((row) => ({ form, offer, row })),
	),
);
type Case = (typeof rows)[number];

async function read({ form, offer, row }: Case, [type, from]: readonly [string, string], held: unknown) {
	const context = {
		get: (name: string, _: unknown, done: (e: null, v: unknown) => void) => done(null, { held }[name]),
	};
	const self = { context: () => ({ flow: context, global: context }), _flow: { getSetting: () => held } };
	const settings = { operation: offer.verb, [row.property]: from, [`${row.property}Type`]: type } as never;
	const message = { _msgid: '1', payload: {}, held } as never;
	const all = { palette: form, offer, settings, warn: () => undefined };
	const values = await readValues(
		{ util: RED.util } as unknown as NodeAPI,
		{ self } as unknown as HostNode,
		all,
		message,
	);
	return { ...values.input, ...values.options }[row.name];
}

/** Whether the property is there at all beside a setting that nobody filled in, and that it depends on. */
const isAlone = ({ row: { field } }: Case): boolean => field.onlyWhen === undefined;

describe.each([
	['the message', 'msg', 'held'],
	['the flow', 'flow', 'held'],
	['the global context', 'global', 'held'],
	['an expression', 'jsonata', 'held'],
	['the environment', 'env', 'HELD'],
])('a property that is taken from %s', (_, type, from) => {
	it('has what is there', async () => {
		for (const each of rows.filter(isAlone)) {
			const value = await read(each, [type, from], 'some value');
			expect([each.row.property, value]).toEqual([each.row.property, 'some value']);
		}
	});

	it('is never as if nobody had filled it in where nothing is there', async () => {
		for (const each of rows.filter(isAlone)) {
			const value = await read(each, [type, from], undefined).catch((error: Error) => error.message);
			expect([each.row.property, value]).not.toEqual([each.row.property, undefined]);
		}
	});
});
