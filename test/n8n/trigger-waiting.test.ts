/** Stream triggers while the service is away or refuses the key: who hears it, and how they go on. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IDataObject, WorkflowActivateMode } from 'n8n-workflow';
import { startSandbox, type Sandbox, type SandboxOptions } from '@partner-exchange/sandbox';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { freePort } from '../../scripts/hosts/ports';
import { until } from '../support/condition';
import { startTrigger, type RunningTrigger, type TriggerOptions } from '../support/engine-trigger';
import { fillsIn, makeFill } from '../support/fills';
import { answer, credentialFor } from './exchange';

const STATUS = { resource: 'stream', operation: 'status' };
const SPARE_KEY = 'sandbox-key-spare';
const ALWAYS = 1_000_000;

let folder: string;
let place: SandboxOptions;
let sandbox: Sandbox;
let isAway = false;
const open: RunningTrigger[] = [];

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'waiting-'));
	place = {
		...{ port: await freePort(), data: join(folder, 'exchange.db'), marketMaker: false, seed: 7 },
		settings: { orderDelayMs: 0 },
		keys: [{ key: SPARE_KEY, email: 'trader@sandbox.test' }],
	};
	sandbox = await startSandbox(place);
});
afterEach(async () => {
	await Promise.all(open.splice(0).map((trigger) => trigger.close()));
	if (!isAway) await sandbox.close();
	isAway = false;
	await rm(folder, { recursive: true, force: true });
});

interface Start extends TriggerOptions {
	credential?: IDataObject;
	form?: IDataObject;
}

async function start(
	activation: WorkflowActivateMode,
	{ credential, form, ...options }: Start = {},
): Promise<RunningTrigger> {
	const trigger = await startTrigger(PartnerExchangeTrigger, {
		...credentialFor(sandbox, credential),
		parameters: { topics: ['user.fills'], pairs: [], filters: {}, options: {}, ...form },
		activation,
		...options,
	});
	open.push(trigger);
	return trigger;
}

/** The state a trigger left that had one fill and was stopped. */
async function positionBehindOneFill(): Promise<IDataObject> {
	const earlier = await start('activate');
	await makeFill(sandbox);
	await earlier.waitForItems(1);
	await open.pop()!.close();
	return earlier.staticData();
}

const fillsOf = (trigger: RunningTrigger): string[] =>
	trigger.items().map(({ data }) => String((data as IDataObject)['id']));
const connectionState = async (credential?: IDataObject): Promise<unknown> => {
	const status = await answer(sandbox, STATUS, credential ? { credential } : {});
	return (status['connections'] as { state: string }[])[0]?.state;
};
/** The service refuses this key, from now on and for open connections too. */
function refuse(apiKey: string): () => void {
	const faults = [
		sandbox.faults.arm({ kind: 'unauthorized', apiKey, times: ALWAYS }),
		sandbox.faults.arm({ kind: 'refuse-stream', times: ALWAYS }),
	];
	sandbox.faults.arm({ kind: 'drop-stream' });
	return () => faults.forEach(({ id }) => sandbox.faults.disarm(id));
}

describe('a stream trigger that n8n starts by itself', () => {
	it.each(['init', 'leadershipChange'] as const)(
		'a trigger that n8n starts waits for a service that is away, and delivers what it missed once: %s',
		async (activation) => {
			const nodeStaticData = await positionBehindOneFill();
			await makeFill(sandbox);
			await sandbox.close();
			isAway = true;
			const trigger = await start(activation, { nodeStaticData, form: { options: { connectionNotices: true } } });
			expect(await connectionState()).toBe('waiting');
			await until(() => trigger.notices().length > 0, { what: 'a notice' });
			expect(trigger.notices()[0]).toMatchObject({ topic: 'connection', data: { kind: 'state', state: 'waiting' } });
			sandbox = await startSandbox(place);
			isAway = false;
			await makeFill(sandbox);
			await trigger.waitForItems(2);
			const [, ...missed] = (await fillsIn(sandbox)).reverse();
			expect(new Set(fillsOf(trigger)).size).toBe(2);
			expect(missed).toHaveLength(2);
			expect([trigger.errors, trigger.failedExecutions]).toEqual([[], []]);
		},
	);

	it('a trigger that n8n starts runs the error workflow once for a refused key, and resumes with the corrected one', async () => {
		const nodeStaticData = await positionBehindOneFill();
		await makeFill(sandbox);
		const credential = credentialFor(sandbox, { apiKey: 'wrong-key' });
		const trigger = await start('init', { nodeStaticData, ...credential });
		await until(() => trigger.failedExecutions.length > 0, { what: 'a failed execution' });
		expect(trigger.failedExecutions[0]!.message).toContain('does not know this key');
		credential.credentials.partnerExchangeApi['apiKey' as never] = 'sandbox-key' as never;
		await trigger.waitForItems(1);
		expect(trigger.failedExecutions).toHaveLength(1);
		expect(trigger.errors).toEqual([]);
	});

	it('a trigger that n8n starts refuses an invalid form at once', async () => {
		await expect(start('init', { form: { topics: [] } })).rejects.toThrow('No events are chosen');
	});
});

describe('a stream trigger that a person publishes', () => {
	it.each(['activate', 'update'] as const)(
		'a trigger that a person publishes fails at once for a wrong key or address, also with a stored position: %s',
		async (activation) => {
			const nodeStaticData = await positionBehindOneFill();
			await expect(start(activation, { nodeStaticData, credential: { apiKey: 'wrong-key' } })).rejects.toThrow(
				'does not know this key',
			);
			const nowhere = { wsUrl: `ws://127.0.0.1:${await freePort()}/v1/ws`, allowDifferentHosts: true };
			await expect(start(activation, { nodeStaticData, credential: nowhere })).rejects.toThrow('does not answer');
		},
	);
});

describe('a running stream trigger whose key is refused', () => {
	it("a running trigger whose key is refused runs the error workflow once, stays, and resumes with the credential's key", async () => {
		const credential = credentialFor(sandbox);
		const trigger = await start('activate', credential);
		await makeFill(sandbox);
		await trigger.waitForItems(1);
		const accept = refuse('sandbox-key');
		await until(() => trigger.failedExecutions.length > 0, { what: 'a failed execution' });
		expect(await connectionState()).toBe('refused');
		accept();
		await makeFill(sandbox);
		credential.credentials.partnerExchangeApi['apiKey' as never] = SPARE_KEY as never;
		await trigger.waitForItems(2);
		expect(new Set(fillsOf(trigger)).size).toBe(2);
		expect(trigger.items()).toHaveLength(2);
		expect(trigger.failedExecutions).toHaveLength(1);
		expect(trigger.errors).toEqual([]);
	});
});
