/** A context store in files. While its folder holds a file `hold`, a write of what that file names waits; `writing` is the latest. */
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const LOOK_EVERY_MS = 20;

const isHeld = (folder, text) => {
	try {
		return text.includes(readFileSync(join(folder, 'hold'), 'utf8'));
	} catch {
		return false;
	}
};

module.exports = ({ folder }) => {
	const fileOf = (scope, key) => join(folder, `${scope}-${key}.json`.replace(/[^\w.-]/g, '_'));
	const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);
	return {
		open: async () => undefined,
		close: async () => undefined,
		delete: async () => undefined,
		clean: async () => undefined,
		keys: (_scope, done) => done(null, []),
		get: (scope, key, done) => done(null, read(fileOf(scope, key))),
		set: (scope, key, value, done) => {
			const text = JSON.stringify(value);
			writeFileSync(join(folder, 'writing'), text);
			const write = () => {
				if (isHeld(folder, text)) return void setTimeout(write, LOOK_EVERY_MS);
				writeFileSync(fileOf(scope, key), text);
				done(null);
			};
			write();
		},
	};
};
