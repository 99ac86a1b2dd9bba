import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from './flows';

/** The size limit of the runtime bundle. Whoever raises it states the reason in docs/performance.md. */
const RUNTIME_BYTES_MAX = 1_100_000;
const EDITOR_BYTES_MAX = 230_000;

describe('the bundle of the Node-RED package', () => {
	it('the bundle stays within its size limit', () => {
		expect(statSync(join(packageFolder, 'dist/partner-exchange.js')).size).toBeLessThan(RUNTIME_BYTES_MAX);
		expect(statSync(join(packageFolder, 'dist/partner-exchange.html')).size).toBeLessThan(EDITOR_BYTES_MAX);
	});

	it('the bundle leaves out what nothing here uses: uploads, other ways of axios, the server of ws, debug printing', () => {
		const text = readFileSync(join(packageFolder, 'dist/partner-exchange.js'), 'utf8');
		for (const stranger of ['mime-db', 'application/vnd.', 'XMLHttpRequest is not', 'class WebSocketServer'])
			expect({ stranger, found: text.includes(stranger) }).toEqual({ stranger, found: false });
		const notices = readFileSync(join(packageFolder, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
		expect(notices).not.toMatch(/mime-db|form-data|supports-color/);
		expect(notices).toMatch(/axios/);
	});
});
