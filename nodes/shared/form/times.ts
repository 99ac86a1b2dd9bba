import { readTime } from '@partner-exchange/core/adapters';

/**
 * A time without a zone is one of the workflow's, whatever the zone of the server, from the date picker or an
 * expression. What an expression such as `$now` gives is written out. Other values are returned unchanged.
 */
export function inZone(value: unknown, timeZone: string): unknown {
	if (isLuxon(value)) return value.toISO();
	const written = typeof value === 'string' ? readTime(value) : undefined;
	if (!written || written.isZoned) return value;
	const guess = written.at - offsetMs(written.at, timeZone);
	// Near a daylight-saving change, the offset at the guessed time is the right one.
	return new Date(written.at - offsetMs(guess, timeZone)).toISOString();
}

const isLuxon = (value: unknown): value is { toISO(): string } =>
	typeof value === 'object' && value !== null && 'isLuxonDateTime' in value && value.isLuxonDateTime === true;

/** The offset of a time zone from UTC at a moment, in milliseconds. */
function offsetMs(moment: number, timeZone: string): number {
	const parts = new Intl.DateTimeFormat('en-US', {
		timeZone,
		hourCycle: 'h23',
		year: 'numeric',
		month: 'numeric',
		day: 'numeric',
		hour: 'numeric',
		minute: 'numeric',
		second: 'numeric',
	}).formatToParts(moment);
	const part = (name: string): number => Number(parts.find(({ type }) => type === name)?.value);
	const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
	return local - Math.floor(moment / 1000) * 1000;
}
