/** A bench on one n8n for all that need none of their own: it begins with the first, and ends after the last test of a file. */
import type { SandboxOptions } from '@partner-exchange/sandbox';
import { startN8n, type TestN8n } from '../../support/n8n';
import { benchOn, root, type Bench } from './bench';

let common: Promise<TestN8n> | undefined;
afterAll(async () => await (await common)?.stop());

/** What a bench publishes is taken down at its end. */
export async function openCommonBench(options: SandboxOptions): Promise<Bench> {
	const n8n = await (common ??= startN8n({ packages: [root], editor: true }));
	const published: string[] = [];
	const publish: TestN8n['publish'] = async (id) => {
		published.push(id);
		await n8n.publish(id);
	};
	const stop = async (): Promise<void> => {
		for (const id of published) await n8n.unpublish(id);
	};
	return await benchOn(options, async () => await Promise.resolve({ ...n8n, publish, stop }));
}
