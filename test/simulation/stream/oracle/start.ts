import type { Seen } from '../host';
import type { Layer } from '../layer';

/** A start is not given up for one refusal, and a host that keeps up is never called too slow. */
export const judgeStart = ({ name, startsFailed, overruns }: Seen, { startsAtOnce, keepsUp }: Layer): string[] => [
	...(startsAtOnce && startsFailed > 0 ? [`${name} gave up ${startsFailed} starts`] : []),
	...(keepsUp && overruns > 0 ? [`${name} was called too slow ${overruns} times`] : []),
];
