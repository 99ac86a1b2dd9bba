/**
 * The forms in which a service may show a fill on the stream and in its list. `memo` identifies it for the simulation.
 */
export interface Fill extends Record<string, unknown> {
	id: string;
	trade_id: string;
	memo?: string;
}

interface Shaping {
	told(fill: Fill): unknown;
	listed(fill: Fill): object;
}

const anonymous = ({ id, trade_id: _, ...fill }: Fill): object => ({ ...fill, memo: id });

const renamed = ({ id, ...fill }: Fill): object => ({ ...fill, trade_id: id, memo: id });

export const fillShapes = {
	bare: { told: (fill) => fill, listed: (fill) => fill },
	'in an execution': { told: (fill) => ({ execution: fill }), listed: (fill) => fill },
	'in a list of trades': { told: (fill) => ({ trades: [fill] }), listed: (fill) => fill },
	'with an id of the message': {
		told: ({ id, ...fill }) => ({ ...fill, id: `message-${id}`, fill_id: id, memo: id }),
		listed: ({ id, ...fill }) => ({ ...fill, id: `row-${id}`, fill_id: id, memo: id }),
	},
	'without an id': { told: anonymous, listed: anonymous },
	/** One identifier, which the stream calls that of the trade. */
	'under another name': { told: renamed, listed: ({ trade_id: _, ...fill }) => fill },
	/** The stream shows a further identifier, which comes first. */
	'with a further id': {
		told: ({ trade_id: _, ...fill }) => ({ ...fill, execution_id: `e-${fill.id}`, memo: fill.id }),
		listed: ({ trade_id: _, ...fill }) => ({ ...fill, memo: fill.id }),
	},
	/** Only the list shows an identifier. */
	'with an id in the list': { told: anonymous, listed: (fill) => ({ ...fill, memo: fill.id }) },
} satisfies { readonly [name: string]: Shaping };

export type FillShape = keyof typeof fillShapes;

/** The forms that any seed may have; the others have a world of their own. */
export const usualShapes: readonly FillShape[] = [
	'bare',
	'in an execution',
	'in a list of trades',
	'with an id of the message',
	'without an id',
];

/** Identifies the fill, whatever its form. */
export const fillIdOf = (data: unknown): string | undefined => {
	const { memo, id } = data as Partial<Fill>;
	return memo ?? id;
};
