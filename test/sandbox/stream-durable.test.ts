import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { until } from '../support/condition';
import { create, eventsOf, limit, listenTo, sandboxFor, subscribe } from './connection';

describe('the stream of a sandbox with a data file', () => {
	it('sends nothing over the stream that the disk did not take', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
		const failures: Error[] = [];
		const sandbox = await sandboxFor({
			data: join(folder, 'exchange.sqlite'),
			onStorageFailure: (error) => failures.push(error),
		});
		const line = await listenTo(sandbox, 'sandbox-key');
		await subscribe(line, ['user.orders']);
		const { exec } = DatabaseSync.prototype;
		const full = jest.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
			if (sql === 'COMMIT') throw new Error('database or disk is full');
			return exec.call(this, sql);
		});
		create(sandbox, limit()).catch(() => undefined);
		await until(() => failures.length > 0, { what: 'the disk to refuse' });
		full.mockRestore();
		line.send({ type: 'ping' });
		await line.hears(({ type }) => type === 'pong', 'what comes after it');
		expect(eventsOf(line, 'user.orders')).toEqual([]);
		rmSync(folder, { recursive: true });
	});
});
