/** A time without a zone, as n8n's date picker writes it. */
const ZONELESS = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;

/**
 * The date picker means the time zone of the workflow, whatever the zone of the server. Other values are returned
 * unchanged.
 */
export function inZone(value: unknown, timeZone: string): unknown {
	if (typeof value !== 'string' || !ZONELESS.test(value)) return value;
	const asUtc = Date.parse(`${value.replace(' ', 'T')}Z`);
	const guess = asUtc - offsetMs(asUtc, timeZone);
	// Near a daylight-saving change, the offset at the guessed time is the right one.
	return new Date(asUtc - offsetMs(guess, timeZone)).toISOString();
}

/** The offset of a time zone from UTC at a moment, in milliseconds. */
function offsetMs(moment: number, timeZone: string): number {
	const parts = new Intl.DateTimeFormat('en-US', {
		timeZone,
		hourCycle: 'h23',
		...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
	}).formatToParts(moment);
	const part = (name: string): number => Number(parts.find(({ type }) => type === name)?.value);
	const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
	return local - Math.floor(moment / 1000) * 1000;
}
