/** A time without a zone, as the date picker of n8n writes it. */
const ZONELESS = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;

/** The picker means the zone of the workflow, whatever zone the server is in. Any other value is left as it is. */
export function inZone(given: unknown, timeZone: string): unknown {
	if (typeof given !== 'string' || !ZONELESS.test(given)) return given;
	const asUtc = Date.parse(`${given.replace(' ', 'T')}Z`);
	const guess = asUtc - offsetMs(asUtc, timeZone);
	// Near a change of the clocks the offset at the guess is the right one.
	return new Date(asUtc - offsetMs(guess, timeZone)).toISOString();
}

/** How far the clocks of a zone are ahead of UTC at a moment. */
function offsetMs(moment: number, timeZone: string): number {
	const parts = new Intl.DateTimeFormat('en-US', {
		timeZone,
		hourCycle: 'h23',
		...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
	}).formatToParts(moment);
	const part = (name: string): number => Number(parts.find(({ type }) => type === name)?.value);
	const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
	return shown - Math.floor(moment / 1000) * 1000;
}
