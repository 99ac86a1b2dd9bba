/** The example workflow that tells when the stream is not well. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsFolder } from '../../../scripts/hosts/broker';
import { until } from '../../support/condition';
import type { WorkflowText } from '../../support/n8n';
import { openCommonBench } from './common-bench';
import { forAll } from '../../support/opened';

const readExample = (name: string): WorkflowText =>
	JSON.parse(readFileSync(join(settingsFolder, name), 'utf8')) as WorkflowText;

describe('the example that watches the stream', () => {
	const bench = forAll(() => openCommonBench({}));

	it('the watching example stays quiet in n8n while the stream is live, and names its state once the service is away', async () => {
		const listening = readExample('n8n-reader.json').nodes.filter(({ name }) => name !== 'Publish');
		await bench.n8n.publish(await bench.save('Listening', listening, {}));
		const { nodes, connections, settings } = readExample('n8n-watch.json');
		const id = await bench.save('Watching', nodes, connections, settings);
		const said = async (): Promise<unknown> => {
			const { itemsOf } = await bench.n8n.runManually(id, 'Every Five Minutes');
			return { judged: itemsOf('Judge')[0]?.json['text'], told: itemsOf('Tell')[0]?.json['text'] };
		};
		const says = async (words: RegExp): Promise<unknown> =>
			await until(async () => words.test(JSON.stringify(await said())), { what: `it to say ${words}`, seen: said });
		await says(/^{"judged":""}$/);
		await bench.stopSandbox();
		await says(/"told":"The exchange's stream: the connection is (waiting|connecting)/);
	});
});
