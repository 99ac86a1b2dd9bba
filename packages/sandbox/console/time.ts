/** Timestamps are cut from the text the exchange sent, so they are UTC on every machine. */
const timestamp = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})/;

export const timeOfDay = (text: string | null | undefined): string => timestamp.exec(text ?? '')?.[2] ?? text ?? '';

export function dayAndTime(text: string): string {
	const match = timestamp.exec(text);
	return match ? `${match[1]} ${match[2]}` : text;
}

const isElsewhere = new Date().getTimezoneOffset() !== 0;

/** The time of day in the zone of the browser, where that is not UTC. */
export function timeHere(text: string): string {
	const here = new Date(text);
	return isElsewhere && !Number.isNaN(here.getTime()) ? `${here.toLocaleTimeString('en-GB')} here` : '';
}

export const timeHeading = isElsewhere ? 'Time, UTC and here' : 'Time, UTC';

/** As the exchange wrote it, and in the zone of the browser beside it. */
export const bothTimes = (text: string, written: (text: string) => string = timeOfDay): string =>
	[written(text), timeHere(text)].filter(Boolean).join(' · ');
