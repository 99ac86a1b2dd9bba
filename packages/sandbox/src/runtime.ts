/** Must be imported first: on an older Node, later modules would fail with a confusing error. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 13)) {
	process.stderr.write(
		`The sandbox needs Node 22.13 or newer; this is ${process.version}. Start it with a newer Node.\n`,
	);
	process.exit(1);
}

export {};
