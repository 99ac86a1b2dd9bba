/** The parts of a Kafka REST proxy that the example uses: one topic, one group, records until they are committed. */
import { createServer } from 'node:http';
import { openPort } from './loopback';

export interface KafkaProxy {
	url: string;
	/** The produced records, oldest first. */
	records: { key: string; value: { eventKey: string } }[];
	committed: () => number;
	/** Responds to this many produce requests with an error, after it has stored their records. */
	failAfterStoring: (count: number) => void;
	close: () => Promise<void>;
}

export async function startKafkaProxy(): Promise<KafkaProxy> {
	const records: KafkaProxy['records'] = [];
	let [read, committed, failures] = [0, 0, 0];
	let url = '';

	function answer(route: string, body: string): { status: number; data: unknown } {
		if (route === 'POST /topics/exchange-fills') {
			records.push(...(JSON.parse(body) as { records: KafkaProxy['records'] }).records);
			failures -= 1;
			return failures >= 0 ? { status: 500, data: {} } : { status: 200, data: { offsets: [] } };
		}
		if (route === 'POST /consumers/desk')
			return { status: 200, data: { base_uri: `${url}/consumers/desk/instances/one` } };
		if (route.endsWith('/instances/one/subscription')) return { status: 204, data: {} };
		if (route === 'GET /consumers/desk/instances/one/records') {
			const fresh = records.slice(committed);
			read = records.length;
			return { status: 200, data: fresh };
		}
		if (route === 'POST /consumers/desk/instances/one/offsets') {
			committed = read;
			return { status: 200, data: {} };
		}
		return { status: 404, data: { error_code: 404 } };
	}

	const server = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			const { status, data } = answer(`${request.method} ${request.url}`, body);
			response.writeHead(status, { 'content-type': 'application/vnd.kafka.v2+json' });
			response.end(status === 204 ? undefined : JSON.stringify(data));
		});
	});
	url = `http://127.0.0.1:${await openPort(server)}`;
	return {
		url,
		records,
		committed: () => committed,
		failAfterStoring: (count) => void (failures = count),
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
