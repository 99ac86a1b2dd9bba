import type { Seen } from '../host';
import type { Layer } from '../layer';

/** A start is not given up for one refusal. */
export const judgeStart = ({ name, startsFailed }: Seen, { startsAtOnce }: Layer): string[] =>
	startsAtOnce && startsFailed > 0 ? [`${name} gave up ${startsFailed} starts`] : [];
