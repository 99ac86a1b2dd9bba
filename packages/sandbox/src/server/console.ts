import { createReadStream, existsSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { pipeline } from 'node:stream';

/** Folders that may hold the built console page; without a build, one line of text is served. */
const FOLDERS = [join(__dirname, '..', 'console'), join(__dirname, '..', '..', 'dist', 'console')];

const types: Record<string, string> = {
	'.html': 'text/html; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
	'.css': 'text/css; charset=utf-8',
	'.svg': 'image/svg+xml',
	'.json': 'application/json',
	'.map': 'application/json',
	'.woff2': 'font/woff2',
};

/** Content security policy: scripts and styles of this origin only, and no framing. */
const POLICY = [
	"default-src 'none'",
	...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self' ws:"],
	...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

export function serveConsole({ method, url }: IncomingMessage, outgoing: ServerResponse): void {
	if (method !== 'GET' && method !== 'HEAD') return plain(outgoing, 405, 'Only GET is answered here.');
	const file = fileFor((url ?? '/').split('?', 1)[0] as string);
	if (file) return send(file, outgoing);
	if (url === '/')
		return plain(outgoing, 200, 'The sandbox exchange is running. Its console page has not been built: npm run build.');
	plain(outgoing, 404, 'There is nothing at this path.');
}

function send(file: string, outgoing: ServerResponse): void {
	const content = createReadStream(file);
	content.once('error', () => {
		if (!outgoing.headersSent) plain(outgoing, 500, 'A file of the console page cannot be read: npm run build.');
	});
	content.once('open', () => {
		outgoing.writeHead(200, {
			'content-type': types[extname(file)] ?? 'application/octet-stream',
			'content-security-policy': POLICY,
			'x-content-type-options': 'nosniff',
			'referrer-policy': 'no-referrer',
			'cache-control': 'no-cache',
		});
		// Closes the file also where the reader breaks off, and the connection where reading fails.
		pipeline(content, outgoing, () => undefined);
	});
}

function fileFor(path: string): string | undefined {
	const wanted = normalize(path === '/' ? '/index.html' : path);
	for (const folder of FOLDERS) {
		const file = join(folder, wanted);
		if (!types[extname(file)] || !file.startsWith(folder + sep)) continue;
		if (existsSync(file) && statSync(file).isFile()) return file;
	}
	return undefined;
}

function plain(outgoing: ServerResponse, status: number, text: string): void {
	outgoing.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
	outgoing.end(`${text}\n`);
}
