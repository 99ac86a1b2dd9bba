import { DatabaseSync } from 'node:sqlite';
import { until } from '../../scripts/hosts/condition';
import type { N8nHost } from '../../scripts/hosts/n8n';
import { begin, serveStreams } from '../areas/stream/server';
import { usedBy } from './cost';
import { withN8n } from './n8n-host';

const TYPE = 'partnerExchangeApi';
const WAIT_MS = 400_000;
/** Until the trigger has subscribed and read what was before. */
const SUBSCRIBED_MS = 3_000;
const TENTHS = 10;

export interface Burst {
	events: number;
	/** The value of Events per Execution, if anything does. */
	each?: number | undefined;
	/** How many come in a second; as fast as the socket carries them where nothing is said. */
	perSecond?: number | undefined;
	profiles?: string | undefined;
}

/** Many fills into one workflow of a complete n8n that saves every execution. */
export const n8nBurst = (burst: Burst): Promise<void> =>
	withN8n(burst.profiles, async ({ start, database: file }) => {
		const host = await start({ withPackage: true });
		const database = new DatabaseSync(file);
		try {
			await play(burst, host, database);
		} finally {
			database.close();
		}
	});

async function play({ events, each, perSecond }: Burst, host: N8nHost, database: DatabaseSync): Promise<void> {
	countWrites(database);
	const address = await serveStreams();
	const place = `${address}/fills/v1`;
	const data = { environment: 'sandbox', apiKey: 'bench-key', baseUrl: `http://${place}`, wsUrl: `ws://${place}/ws` };
	const credentials = { [TYPE]: await host.saveCredential({ name: 'Bench', type: TYPE, data }) };
	const parameters = {
		topics: ['user.fills'],
		output: 'whole',
		options: each === undefined ? {} : { eventsPerExecution: each },
	};
	const fills = { name: 'Fills', type: 'n8n-nodes-partner-exchange.partnerExchangeTrigger', parameters, credentials };
	const behind = { name: 'Behind', type: 'n8n-nodes-base.noOp' };
	const connections = { Fills: { main: [[{ node: 'Behind', type: 'main', index: 0 }]] } };
	const { id } = await host.saveWorkflow({ name: 'Burst', nodes: [fills, behind], connections });
	const used = () => usedBy(host.child.process.pid!);
	const before = used().cpuSeconds;
	await host.publish(id);
	await new Promise((resolve) => setTimeout(resolve, SUBSCRIBED_MS));
	await begin(address, 'fills', events, perSecond);
	for (let tenth = 1; tenth <= TENTHS; tenth += 1) {
		const isThere = (): boolean => reached(database) >= (tenth * events) / TENTHS;
		await until(isThere, { timeoutMs: WAIT_MS, everyMs: 200, what: 'the events', seen: () => reached(database) });
		console.log(`${String(reached(database)).padStart(8)} events, ${used().megabytes.toFixed(0)} MB`);
	}
	const { cpuSeconds, megabytes } = used();
	report(database, { events, cpuSeconds: cpuSeconds - before, megabytes });
}

/** How long each write of static data was, as the database sees it. */
function countWrites(database: DatabaseSync): void {
	database.exec(`CREATE TABLE bench_write (bytes INTEGER);
		CREATE TRIGGER bench_count AFTER UPDATE OF staticData ON workflow_entity
		BEGIN INSERT INTO bench_write VALUES (length(NEW.staticData)); END;`);
}

/** The number of the event up to which the trigger wrote down where it stands. */
function reached(database: DatabaseSync): number {
	const { staticData } = database.prepare('SELECT staticData FROM workflow_entity').get() ?? {};
	const digits = /"seq":(\d+)/.exec(String(staticData));
	return Number(digits?.[1] ?? 0);
}

function report(database: DatabaseSync, used: { events: number; cpuSeconds: number; megabytes: number }): void {
	const figure = (sql: string): number => Number(Object.values(database.prepare(sql).get()!)[0]);
	const [executions, failed] = [
		figure("SELECT count(*) FROM execution_entity WHERE status = 'success'"),
		figure("SELECT count(*) FROM execution_entity WHERE status <> 'success'"),
	];
	const seconds = figure(
		'SELECT (julianday(max(stoppedAt)) - julianday(min(startedAt))) * 86400 FROM execution_entity',
	);
	// Each item is in the data of its execution once, and the node behind the trigger refers to it.
	const items = figure(
		`SELECT sum((length(data) - length(replace(data, '"eventKey":', ''))) / 11) FROM execution_data`,
	);
	const [writes, bytes] = [figure('SELECT count(*) FROM bench_write'), figure('SELECT sum(bytes) FROM bench_write')];
	const each = (value: number): string => (value / used.events).toFixed(value / used.events < 10 ? 2 : 0);
	console.log(`${used.events} events in ${executions} executions, ${failed} failed, ${items} items in their data`);
	console.log(`${(used.events / seconds).toFixed(0)} a second over ${seconds.toFixed(1)} s`);
	console.log(`${each(used.cpuSeconds * 1e6)} us of CPU an event, ${used.megabytes.toFixed(0)} MB after it`);
	console.log(`${writes} writes of static data, ${each(bytes)} bytes an event`);
}
