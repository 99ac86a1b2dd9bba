/**
 * Characters that steer a terminal (the control characters of ASCII and of Latin-1, escape, bell and carriage return
 * among them), end a line, turn the direction of writing and so make a line read as another one, or have no width and so
 * make two texts look alike. The two that join and part letters stay: words of many languages hold them.
 */
const steering = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]+/g;

/** Every text that is not ours passes here before a person reads it, at a terminal, in a log or in a form. */
export const printable = (text: string): string => text.replace(steering, ' ');
