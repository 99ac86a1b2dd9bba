import { operationIds, operationOf, resume, wildcard } from '../../packages/core/src/catalogue';
import { assumptions } from '../../packages/sandbox/src/assumptions';
import { code, generated, page, table } from './words';

/** The page of assumptions: what the interface does not show, and what is done instead. */
export function assumptionsPage(): string {
	const chosen = [
		...operationIds.flatMap((id) =>
			Object.entries(operationOf(id).input)
				.filter(([, field]) => field.assumed)
				.map(([name, field]) => ({ input: id, name, assumed: field.assumed! })),
		),
		...[resume, wildcard],
	];
	const byReason = new Map<string, string[]>();
	for (const { input, name, assumed } of chosen) {
		const row = byReason.get(`${input} ${assumed}`);
		if (row) row[1] += `, ${code(name)}`;
		else byReason.set(`${input} ${assumed}`, [code(input), code(name), assumed]);
	}
	const notShown = operationIds.filter((id) => operationOf(id).outputNotShown);
	const answers = [...new Set(notShown.map((id) => operationOf(id).outputNotShown!))].map((known) => [
		notShown
			.filter((id) => operationOf(id).outputNotShown === known)
			.map(code)
			.join(', '),
		known,
	]);
	return page(
		generated,
		'# Assumptions',
		'The interface leaves some names and shapes open. Nothing is invented silently: each choice stands here and in one place ' +
			'of the catalogue.',
		'## Names chosen for inputs',
		'A service that uses another name is met without a release: `names` of the account maps an input to its name on the wire, ' +
			'such as `{ "order.list.limit": "page_size" }`. A service that ignores a filter does no harm: answers are filtered again.',
		table(['Operation', 'Inputs', 'Why'], [...byReason.values()]),
		'## Answers that are passed on untouched',
		'Readers accept an array bare or wrapped, `id` or `order_id`, any 2xx status and any body of an error.',
		table(['Operations', 'What is known'], answers),
		'## What the sandbox chooses',
		'The sandbox answers all the same, in one way by default. Where it can answer otherwise, clients are tested against that too.',
		table(
			['Subject', 'Choice', 'Otherwise'],
			assumptions.map(({ topic, choice, alternatives = '' }) => [topic, choice, alternatives]),
		),
	);
}
