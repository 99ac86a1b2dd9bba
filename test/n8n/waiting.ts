/** Stream triggers while the service is away or refuses the key: who hears it, and how they go on. */
import crypto from 'node:crypto';
import { join } from 'node:path';
import type { IDataObject, WorkflowActivateMode } from 'n8n-workflow';
import { startSandbox, type Sandbox, type SandboxOptions } from '@partner-exchange/sandbox';
import { newFolder } from '../support/folder';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { freePort } from '../../scripts/hosts/ports';
import { until } from '../support/condition';
import { startTrigger, type RunningTrigger, type TriggerOptions } from '../support/engine-trigger';
import { fillsIn, makeFill } from '../support/fills';
import { answer, credentialFor } from './exchange';

const SPARE_KEY = 'sandbox-key-spare';
const ALWAYS = 1_000_000;
const SHORT_MS = 100;

describe('a stream trigger that cannot listen', () => {
	let folder: string;
	let place: SandboxOptions;
	let sandbox: Sandbox;
	let other: Sandbox | undefined;
	let isAway = false;
	const open: RunningTrigger[] = [];

	beforeEach(async () => {
		folder = newFolder();
		place = {
			...{ port: await freePort(), data: join(folder, 'exchange.db'), seed: 7 },
			settings: { orderDelayMs: 0 },
			keys: [{ key: SPARE_KEY, email: 'trader@sandbox.test' }],
		};
		sandbox = await startSandbox(place);
		// A connection that failed is tried again after a random part of its pause: a small one of its 2^40 steps.
		jest.spyOn(crypto, 'randomInt').mockImplementation(() => 2 ** 36);
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		await Promise.all(open.splice(0).map((trigger) => trigger.close()));
		if (!isAway) await sandbox.close();
		isAway = false;
		await other?.close();
		other = undefined;
	});

	async function start(
		activation: WorkflowActivateMode,
		{ credential, ...options }: TriggerOptions & { credential?: IDataObject } = {},
	): Promise<RunningTrigger> {
		const trigger = await startTrigger(PartnerExchangeTrigger, {
			...credentialFor(sandbox, credential),
			parameters: { topics: ['user.fills'], pairs: [], filters: {}, options: { connectionNotices: true } },
			activation,
			...options,
		});
		open.push(trigger);
		return trigger;
	}
	/** The state a trigger left that had one fill and was stopped. */
	async function checkpointBehindOneFill(): Promise<IDataObject> {
		const earlier = await start('activate');
		await makeFill(sandbox);
		await earlier.waitForItems(1);
		await open.pop()!.close();
		return earlier.staticData();
	}
	const fillsOf = (trigger: RunningTrigger): string[] =>
		trigger.items().map(({ data }) => String((data as IDataObject)['id']));
	const connectionState = async (): Promise<unknown> => {
		const status = await answer(sandbox, { resource: 'stream', operation: 'status' });
		return (status['connections'] as { state: string }[])[0]?.state;
	};

	it.each(['init', 'leadershipChange'] as const)(
		'waits where n8n starts it while the service is away, and delivers what it missed once: %s',
		async (activation) => {
			const nodeStaticData = await checkpointBehindOneFill();
			await makeFill(sandbox);
			await sandbox.close();
			isAway = true;
			const trigger = await start(activation, { nodeStaticData });
			const told = () => trigger.notices().map(({ data }) => (data as IDataObject)['state']);
			await until(() => told().includes('waiting'), { what: 'a notice', seen: told });
			sandbox = await startSandbox(place);
			isAway = false;
			await makeFill(sandbox);
			await trigger.waitForItems(2);
			expect(new Set(fillsOf(trigger)).size).toBe(2);
			expect([trigger.errors, trigger.failedExecutions]).toEqual([[], []]);
		},
	);

	it('runs the error workflow once for a refused key where n8n starts it, and resumes with the corrected one', async () => {
		const nodeStaticData = await checkpointBehindOneFill();
		await makeFill(sandbox);
		const credential = credentialFor(sandbox, { apiKey: 'wrong-key' });
		// The minute before the trigger reads its credential again passes at once.
		const timeout = AbortSignal.timeout.bind(AbortSignal);
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms > 50_000 ? SHORT_MS : ms));
		const trigger = await start('init', { nodeStaticData, ...credential });
		await until(() => trigger.failedExecutions.length > 0, { what: 'a failed execution' });
		expect(trigger.failedExecutions[0]!.message).toContain('does not know this key');
		credential.credentials.partnerExchangeApi['apiKey' as never] = 'sandbox-key' as never;
		await trigger.waitForItems(1);
		expect([trigger.failedExecutions.length, trigger.errors]).toEqual([1, []]);
	});

	it.each(['activate', 'update'] as const)(
		'fails at once for a wrong key or address where a person publishes it, also with a stored checkpoint: %s',
		async (activation) => {
			const nodeStaticData = await checkpointBehindOneFill();
			await expect(start(activation, { nodeStaticData, credential: { apiKey: 'wrong-key' } })).rejects.toThrow(
				'does not know this key',
			);
			const nowhere = { wsUrl: 'ws://127.0.0.1:1024/v1/ws', allowDifferentHosts: true };
			await expect(start(activation, { nodeStaticData, credential: nowhere })).rejects.toThrow('does not answer');
		},
	);

	it("runs the error workflow once where its key is refused while it runs, and resumes with the credential's key", async () => {
		const credential = credentialFor(sandbox);
		const trigger = await start('activate', credential);
		await makeFill(sandbox);
		await trigger.waitForItems(1);
		const faults = [
			sandbox.faults.arm({ kind: 'unauthorized', apiKey: 'sandbox-key', times: ALWAYS }),
			sandbox.faults.arm({ kind: 'refuse-stream', times: ALWAYS }),
		];
		sandbox.faults.arm({ kind: 'drop-stream' });
		await until(() => trigger.failedExecutions.length > 0, { what: 'a failed execution' });
		expect(await connectionState()).toBe('refused');
		faults.forEach(({ id }) => sandbox.faults.disarm(id));
		await makeFill(sandbox);
		credential.credentials.partnerExchangeApi['apiKey' as never] = SPARE_KEY as never;
		await trigger.waitForItems(2);
		expect(new Set(fillsOf(trigger)).size).toBe(2);
		expect([trigger.failedExecutions.length, trigger.errors]).toEqual([1, []]);
	});

	it('listens to the account that its credential names now, also where all was well with the one before', async () => {
		other = await startSandbox({ settings: { orderDelayMs: 0 } });
		const credential = credentialFor(sandbox);
		const trigger = await start('activate', credential);
		Object.assign(credential.credentials.partnerExchangeApi, { baseUrl: other.baseUrl, wsUrl: other.wsUrl });
		const isTold = async (): Promise<boolean> => {
			await makeFill(other!);
			return trigger.items().length > 0;
		};
		await until(isTold, { what: 'a fill of the other account', everyMs: 500 });
		await makeFill(sandbox);
		await makeFill(other);
		await trigger.waitForItems(2);
		expect(await fillsIn(other)).toEqual(expect.arrayContaining(fillsOf(trigger)));
	});
});
