import type { StoredCheckpoint } from '@partner-exchange/core';
import { ObservableObject, type IDataObject, type IRun, type ITriggerFunctions } from 'n8n-workflow';
import { createCheckpointWriter } from '../../../nodes/shared/delivery/checkpoint-writer';
import { recordOf } from '../../../nodes/shared/host/static-data';
import { virtualTime } from '../../simulation/support/time';

const KEY_LENGTH = 10;
/** The maximum number of keys a trigger remembers. */
const KEYS_MAX = 15_000;

describe('writing down where a trigger stands', () => {
	it('stores about as much per event however many keys are remembered', async () => {
		const few = await through({ events: 1_000, keys: 220, perSecond: 100 });
		const many = await through({ events: 1_000, keys: KEYS_MAX, perSecond: 100 });
		expect(few.bytes / 1_000).toBeLessThan(3_000);
		expect(many.bytes / 1_000).toBeLessThan(3_000);
	});

	it('stores as seldom where events come too fast for a second of them to pay for a write', async () => {
		const { bytes } = await through({ events: 1_000, keys: KEYS_MAX, perSecond: 100_000 });
		expect(bytes / 1_000).toBeLessThan(3_000);
	});

	it('stores the end of every execution while few keys are remembered', async () => {
		const { unwritten } = await through({ events: 100, keys: 500, perSecond: 1 });
		expect(unwritten).toBe(0);
	});

	it('repeats at most the events of a second after a kill', async () => {
		const { unwritten } = await through({ events: 1_000, keys: KEYS_MAX, perSecond: 20 });
		expect(unwritten).toBeGreaterThan(0);
		expect(unwritten).toBeLessThanOrEqual(20);
	});

	it('stores a delayed checkpoint when the events pause, and all when it is closed', async () => {
		const host = createHost();
		const { writer } = host;
		await host.run(1, KEYS_MAX);
		await host.run(2, KEYS_MAX);
		expect(host.written()).toBe(1);
		await host.pass(1_000);
		expect(host.written()).toBe(2);
		await host.run(3, KEYS_MAX);
		await writer.close();
		expect(host.written()).toBe(3);
	});

	it('closes only after n8n has answered the write in progress, because n8n closes its database next', async () => {
		const host = createHost();
		const answer = host.hold();
		void host.run(1, 1);
		let isClosed = false;
		const closing = host.writer.close().then(() => (isClosed = true));
		await host.pass(0);
		expect(isClosed).toBe(false);
		answer();
		await closing;
		expect(host.written()).toBe(1);
	});

	it('stores nothing under the key of an execution that goes on', async () => {
		const host = createHost();
		await host.run(1, KEYS_MAX);
		await host.run(2, KEYS_MAX);
		const before = host.emissions();
		host.writer.begun(1);
		await host.writer.close();
		expect(host.emissions()).toBe(before);
		expect(host.written()).toBe(1);
	});
});

interface Burst {
	events: number;
	keys: number;
	perSecond: number;
}

/** One execution per event: the bytes n8n wrote, and the largest number of events the stored checkpoint was behind. */
async function through({ events, keys, perSecond }: Burst): Promise<{ bytes: number; unwritten: number }> {
	const host = createHost();
	let unwritten = 0;
	for (let event = 1; event <= events; event += 1) {
		await host.run(event, keys);
		unwritten = Math.max(unwritten, event - host.written());
		await host.pass(1_000 / perSecond);
	}
	return { bytes: host.bytes(), unwritten };
}

/** n8n from a trigger's view: an emit writes changed static data as a whole, and a key that ran starts no execution. */
function createHost() {
	const node = { id: 'listener', name: 'Listener' };
	const data = ObservableObject.create({}) as IDataObject & { __dataChanged: boolean };
	let [written, bytes, emissions] = [0, 0, 0];
	let pending: Promise<void> | undefined;
	const clock = virtualTime();
	const emit: ITriggerFunctions['emit'] = (_data, _response, done) => {
		emissions += 1;
		if (data.__dataChanged) {
			bytes += JSON.stringify(data).length;
			const record = data[recordOf(node)] as { value: { checkpoint: { at: number } } } | undefined;
			written = record?.value.checkpoint.at ?? 0;
			data.__dataChanged = false;
		}
		void Promise.resolve(pending).then(() => done?.resolve(undefined as unknown as IRun));
	};
	const helpers = { createDeferredPromise: deferred } as unknown as ITriggerFunctions['helpers'];
	const said = { getNode: () => node, logger: console } as unknown as ITriggerFunctions;
	const named = { getWorkflow: () => ({ id: 'workflow' }) as never, getNode: said.getNode };
	const host = { getWorkflowStaticData: () => data, ...named, emit, helpers };
	const writer = createCheckpointWriter(host, {
		...{ owner: { address: 'somewhere', key: 'digest' } },
		...{ isLast: () => true, clock },
	});
	const checkpointAt = (at: number, keys: number) =>
		({ version: 1, at, topics: { 'user.fills': { keys: 'k'.repeat(keys * KEY_LENGTH) } } }) as StoredCheckpoint;
	return {
		writer,
		bytes: () => bytes,
		emissions: () => emissions,
		/** n8n answers no emit until the returned function is called. */
		hold: (): (() => void) => {
			const { promise, resolve } = deferred<void>();
			pending = promise;
			return resolve;
		},
		/** The last event covered by the written checkpoint. */
		written: () => written,
		run: async (event: number, keys: number): Promise<void> => {
			writer.begun(1);
			// The emit that starts the execution.
			emit([[]]);
			writer.ended(`execution-${event}`);
			writer.moved(checkpointAt(event, keys));
			await writer.written();
		},
		pass: async (durationMs: number): Promise<unknown> => await clock.run(clock.now() + durationMs),
	};
}

function deferred<T>() {
	let resolve!: (value: T) => void;
	const promise = new Promise<T>((deliveries) => (resolve = deliveries));
	return { promise, resolve, reject: () => undefined };
}
