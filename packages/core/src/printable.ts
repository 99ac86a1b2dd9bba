/**
 * Characters that could mislead a reader. The control characters of ASCII and of Latin-1 steer a terminal, such as
 * escape, bell and carriage return. Others end a line, turn the direction of writing, or have no width, so that two
 * texts look alike. The two that join and part letters stay, because words of many languages hold them.
 */
const steering = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]+/g;

/** Makes a text from outside safe to read, at a terminal, in a log or in a form. */
export const printable = (text: string): string => text.replace(steering, ' ');
