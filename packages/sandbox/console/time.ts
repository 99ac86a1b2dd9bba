/** Timestamps are cut from the text the exchange sent, so they are UTC on every machine. */
const timestamp = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})/;

export const timeOfDay = (text: string | null | undefined): string => timestamp.exec(text ?? '')?.[2] ?? text ?? '';

export function dayAndTime(text: string): string {
	const match = timestamp.exec(text);
	return match ? `${match[1]} ${match[2]}` : text;
}
