/** ISO 8601 with a day and, if it has a time, at least hours and minutes. Seconds may have a fraction. */
const ISO =
	/^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?([Zz]|[+-]\d{2}:?\d{2})?)?$/;
const MINUTE_MS = 60_000;

/** A time as a person wrote it: as if it were UTC where it names no zone. */
export interface WrittenTime {
	at: number;
	/** Whether the text names its zone; a host reads one without by the zone of its workflow. */
	isZoned: boolean;
}

/**
 * Reads a time of a form, a message or a script. Nothing is guessed: 05/11/2026 is another day in Lagos than in New
 * York, and 30 February is a slip. What a service sends is read by `instantOf`, which takes more.
 */
export function readTime(text: string): WrittenTime | undefined {
	const [, ...parts] = ISO.exec(text.trim()) ?? [];
	if (parts.length === 0) return undefined;
	const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
		.slice(0, 6)
		.map((part) => Number(part ?? 0));
	const local = new Date(Date.UTC(year, month - 1, day, hour, minute, second, milliseconds(parts[6])));
	const isReal =
		local.getUTCFullYear() === year &&
		local.getUTCMonth() === month - 1 &&
		local.getUTCDate() === day &&
		local.getUTCHours() === hour &&
		local.getUTCMinutes() === minute &&
		local.getUTCSeconds() === second;
	if (!isReal) return undefined;
	const zone = parts[7];
	const offset = offsetOf(zone);
	return offset === undefined ? undefined : { at: local.getTime() - offset * MINUTE_MS, isZoned: zone !== undefined };
}

const milliseconds = (fraction = ''): number => Number(fraction.slice(0, 3).padEnd(3, '0'));

/** Minutes ahead of UTC; undefined for an offset that no place has. */
function offsetOf(zone: string | undefined): number | undefined {
	if (zone === undefined || /^z$/i.test(zone)) return 0;
	const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
	if (hours > 14 || minutes > 59) return undefined;
	return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
