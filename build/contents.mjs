/** Bytes of a bundle by where they come from: a library, or a folder of ours. Takes `inputs` of the bundler's metafile. */
export function bytesBySource(inputs) {
	const bytes = {};
	for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
		const name = sourceOf(file);
		bytes[name] = (bytes[name] ?? 0) + bytesInOutput;
	}
	return bytes;
}

const sourceOf = (file) =>
	/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ??
	/^packages\/(core\/src\/[a-z]+(?=\/)|[a-z-]+)/.exec(file)?.[1] ??
	/^(nodes|credentials)\//.exec(file)?.[1] ??
	'stubs';
