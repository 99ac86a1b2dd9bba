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

export const fillShapes = {
	bare: { told: (fill) => fill, listed: (fill) => fill },
	'in an execution': { told: (fill) => ({ execution: fill }), listed: (fill) => fill },
	'in a list of trades': { told: (fill) => ({ trades: [fill] }), listed: (fill) => fill },
	'with an id of the message': {
		told: ({ id, ...fill }) => ({ ...fill, id: `message-${id}`, fill_id: id, memo: id }),
		listed: ({ id, ...fill }) => ({ ...fill, id: `row-${id}`, fill_id: id, memo: id }),
	},
	'without an id': { told: anonymous, listed: anonymous },
} satisfies { readonly [name: string]: Shaping };

export type FillShape = keyof typeof fillShapes;

/** Identifies the fill, whatever its form. */
export const fillIdOf = (data: unknown): string | undefined => {
	const { memo, id } = data as Partial<Fill>;
	return memo ?? id;
};
