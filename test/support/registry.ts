/**
 * A package registry on this machine that has our packages and nothing else. It notes what was downloaded.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { openPort } from './loopback';
import { HOST } from '../../scripts/hosts/ports';

export interface Registry {
	url: string;
	/** What was asked for, each time. */
	requests: string[];
	/** The names of the packages that were downloaded. */
	downloads: string[];
	close: () => void;
}

export async function startRegistry(tarballs: readonly string[]): Promise<Registry> {
	const requests: string[] = [];
	const downloads: string[] = [];
	const files = new Map<string, { owner: string; content: Buffer }>();
	const manifests = new Map<string, { name: string; version: string; dist: object }>();
	const server = createServer(({ url = '' }, response) => {
		const name = decodeURIComponent(url.slice(1).split('?')[0]!);
		requests.push(name);
		const file = files.get(name);
		if (file) {
			downloads.push(file.owner);
			return void response.end(file.content);
		}
		const [wanted] = /^(@[^/]+\/)?[^/]+/.exec(name) ?? [name];
		const manifest = manifests.get(wanted);
		if (!manifest) return void response.writeHead(404).end('{}');
		const { version } = manifest;
		const time = { created: FIRST_DAY, modified: FIRST_DAY, [version]: FIRST_DAY };
		const all = { name: wanted, 'dist-tags': { latest: version }, versions: { [version]: manifest }, time };
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify(name === wanted ? all : manifest));
	});
	const url = `http://${HOST}:${await openPort(server)}`;
	for (const tarball of tarballs) {
		const content = await readFile(tarball);
		const manifest = await manifestIn(tarball);
		const at = `files/${basename(tarball)}`;
		files.set(at, { owner: manifest.name, content });
		const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
		manifests.set(manifest.name, { ...manifest, dist: { tarball: `${url}/${at}`, integrity } });
	}
	return { url, requests, downloads, close: () => server.close() };
}

const FIRST_DAY = '2026-01-01T00:00:00.000Z';

async function manifestIn(tarball: string): Promise<{ name: string; version: string }> {
	const { stdout } = await promisify(execFile)('tar', ['-xzOf', tarball, 'package/package.json']);
	return JSON.parse(stdout) as { name: string; version: string };
}
