/** The Node-RED to start: the one of the development dependencies, or another version in the cache folder. */
import { dirname, join } from 'node:path';
import { cachedPackage } from './cached-package';
import { supported, versionOf } from './versions';

export async function nodeRedProgram(): Promise<string> {
	const version = versionOf('nodeRed');
	const isOwn = version === supported.nodeRed[0];
	const folder = isOwn ? dirname(require.resolve('node-red/package.json')) : await cachedPackage('node-red', version);
	return join(folder, 'red.js');
}
