import { operationIds, operationOf, resume, wildcard } from '../../packages/core/src/catalogue';
import { assumptions } from '../../packages/sandbox/src/assumptions';
import { code, generated, page, table } from './words';

/** The page of assumptions: what the interface does not show, and what is done instead. */
export function assumptionsPage(): string {
	const chosen = [
		...operationIds.flatMap((id) =>
			Object.entries(operationOf(id).input).map(([name, { assumed }]) => ({ input: `${id}.${name}`, assumed })),
		),
		...[resume, wildcard],
	].filter(({ assumed }) => assumed !== undefined);
	const reasons = [...new Set(chosen.map(({ assumed }) => assumed!))];
	const inputsOf = (why: string): string =>
		chosen
			.filter(({ assumed }) => assumed === why)
			.map(({ input }) => code(input))
			.join(', ');
	return page(
		generated,
		'# Assumptions',
		'The interface leaves some names and shapes open. Nothing is invented silently: each choice stands here and in one place ' +
			'of the catalogue.',
		'## Names chosen for inputs',
		'A service that uses another name is met without a release: `names` of the account maps an input to its name on the wire, ' +
			'such as `{ "order.list.limit": "page_size" }`. A `body` and `stream.wildcard` need none: the fields and the pattern ' +
			'are sent as they are typed. A service that ignores a filter does no harm: answers are filtered again.',
		table(
			['Inputs', 'Why'],
			reasons.map((why) => [inputsOf(why), why]),
		),
		'## Answers',
		'[The operations](operations.md) say of each answer what is not shown. Readers accept an array bare or wrapped, `id` or ' +
			'`order_id`, any 2xx status and any body of an error.',
		'## What the sandbox chooses',
		'The sandbox answers all the same, in one way by default. Where it can answer otherwise, clients are tested against that too.',
		table(
			['Subject', 'Choice', 'Otherwise'],
			assumptions.map(({ topic, choice, alternatives = '' }) => [topic, choice, alternatives]),
		),
	);
}
