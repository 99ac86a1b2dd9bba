import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../../packages/sandbox/src';
import { stopwatch, type Contestant } from '../../area';
import { keys, placeElsewhere } from './load';

/** Orders over HTTP into a sandbox in this process, from another process. */
const ordersInto = (title: string, isDurable: boolean, note?: string): Contestant => ({
	title,
	...(note === undefined ? {} : { note }),
	run: async (size) => {
		const folder = mkdtempSync(join(tmpdir(), 'bench-'));
		process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
		const data = isDurable ? join(folder, 'exchange.db') : undefined;
		const sandbox = await startSandbox({ keys, ...(data === undefined ? {} : { data }) });
		let end = stopwatch();
		await placeElsewhere(sandbox.url, size, () => (end = stopwatch()));
		return end(size);
	},
});

export const durability = {
	memory: ordersInto('ours, in memory', false),
	durable: ordersInto('ours, durable', true, 'every answer waits until what it says is on the disk'),
};
