/** Loaded before a program: its clock runs as many milliseconds ahead of the real one as the file CLOCK_FILE says. */
const { readFileSync } = require('node:fs');

const LOOK_EVERY_MS = 20;
const RealDate = Date;
// A library may put its own in place of it.
const { now: realNow } = RealDate;

let aheadMs = 0;
const now = () => realNow() + aheadMs;
const clock = new Proxy(RealDate, {
	apply: () => new RealDate(now()).toString(),
	construct: (target, parts, made) =>
		Reflect.construct(target, parts.length > 0 ? parts : [now()], made === clock ? target : made),
	get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
globalThis.Date = clock;

const look = () => {
	const text = readFileSync(process.env.CLOCK_FILE, 'utf8');
	// A file that is just being written is empty.
	if (text === '' || Number(text) === aheadMs) return;
	aheadMs = Number(text);
	process.stdout.write(`The clock is ${aheadMs} ms ahead\n`);
};
look();
setInterval(look, LOOK_EVERY_MS).unref();
