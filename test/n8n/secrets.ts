import crypto from 'node:crypto';
import { inspect } from 'node:util';
import { startSandbox, type FaultKind } from '@partner-exchange/sandbox';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { listSearch } from '../../nodes/shared/form/pickers';
import { credentialTest } from '../../nodes/shared/account/credential-test';
import { hostHttp } from '../../nodes/shared/host/ports';
import { spellings as spellingsOf } from '../support/canary';
import { until } from '../support/condition';
import { pollOnce, startTrigger } from '../support/engine-trigger';
import { credentialFor, fetchingHost, limitOrder, run } from './exchange';
import { forAll } from '../support/opened';

const CANARY = 'canary+key/with=odd&signs';
const spellings = Object.values(spellingsOf(CANARY));
const nowhere = { baseUrl: 'http://127.0.0.1:1024/v1', wsUrl: 'ws://127.0.0.1:1024/v1/ws' };
const balances = { resource: 'wallet', operation: 'getBalances' };

describe('a canary key', () => {
	const sandbox = forAll(() => startSandbox({ keys: [{ key: CANARY, email: 'trader@sandbox.test' }] }));
	const printed: string[] = [];
	const spies: jest.SpyInstance[] = [];
	beforeAll(async () => {
		// Failed requests are retried: with the shortest possible pauses.
		spies.push(jest.spyOn(crypto, 'randomInt').mockImplementation(() => 0));
		for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
			const print = (...parts: unknown[]) => void printed.push(parts.map(String).join(' '));
			spies.push(jest.spyOn(console, method).mockImplementation(print));
		}
	});
	afterAll(() => spies.forEach((spy) => void spy.mockRestore()));
	afterEach(() => sandbox.faults.disarm());

	function expectClean(...things: unknown[]): void {
		for (const thing of [...things, printed]) {
			const text = `${inspect(thing, { depth: 12, showHidden: true })} ${JSON.stringify(thing) ?? ''}`;
			for (const spelling of spellings) expect(text).not.toContain(spelling);
		}
	}
	const caught = (work: Promise<unknown>): Promise<unknown> => work.catch((reason: unknown) => reason);

	it.each<FaultKind>(['unauthorized', 'forbidden', 'conflict'])(
		'is kept out of a run that ends with %s',
		async (kind) => {
			sandbox.faults.arm({ kind, times: 99 });
			for (const settings of [{}, { onError: 'continueRegularOutput' }]) {
				const input = { resource: 'recipient', operation: 'update', recipient_id: 'x', body: '{}' };
				const made = await run(sandbox, input, { credential: { apiKey: CANARY }, settings });
				expectClean(made.error, made.items, made.stored());
			}
		},
	);

	it.each<FaultKind>(['html-502', 'truncate', 'commit-then-drop'])(
		'is kept out of a run stopped at %s',
		async (kind) => {
			sandbox.faults.arm({ kind, times: 99 });
			const fired = sandbox.faults.fired.length;
			let stop = (): void => undefined;
			const started = (button: () => void) => (stop = button);
			const running = run(sandbox, limitOrder, { credential: { apiKey: CANARY }, started });
			await until(() => sandbox.faults.fired.length > fired, { what: 'the fault' });
			stop();
			const made = await running;
			expectClean(made.error, made.stored());
		},
	);

	it('is kept out of transport errors, whatever they carry', async () => {
		const raw = Object.assign(new Error(CANARY), { code: 'ECONNRESET', config: { headers: { 'x-api-key': CANARY } } });
		const send = hostHttp({ helpers: { httpRequest: () => Promise.reject(raw) } });
		const request = { method: 'GET', url: 'http://127.0.0.1:1024', headers: { 'x-api-key': CANARY }, timeoutMs: 1 };
		expectClean(await caught(send(request)));
	});

	it('is kept out of a successful run, its data and its static data', async () => {
		const made = await run(sandbox, limitOrder, { credential: { apiKey: CANARY } });
		expect(made.status).toBe('success');
		expectClean(made.items, made.stored(), made.staticData);
	});

	it.each([
		['a wrong address', { ...nowhere, baseUrl: 'http://127.0.0.1:1024' }],
		['an address of another host', { ...nowhere, wsUrl: 'ws://127.0.0.2:1024/v1/ws' }],
		['a key with a line break', { apiKey: `${CANARY}\n${CANARY}` }],
		['names that are no JSON', { names: '{' }],
	])('is kept out of what is said of %s', async (_, wrong) => {
		const made = await run(sandbox, balances, { credential: { apiKey: CANARY, ...wrong } });
		expect(made.error).toMatchObject({ name: 'NodeOperationError' });
		expectClean(made.error, made.stored());
	});

	it('is kept out of the errors of triggers that cannot start, of a picker and of a credential test', async () => {
		for (const wrong of [{ apiKey: `${CANARY}-wrong` }, { apiKey: CANARY, ...nowhere }]) {
			const parameters = { topics: ['user.orders'], pairs: [], filters: {}, options: {} };
			const error = await caught(
				startTrigger(PartnerExchangeTrigger, { ...credentialFor(sandbox, wrong), parameters }),
			);
			expect(error).toBeInstanceOf(Error);
			expectClean(error);
		}
		const options = credentialFor(sandbox, { apiKey: CANARY });
		sandbox.faults.arm({ kind: 'forbidden', times: 99 });
		expectClean(
			await caught(pollOnce(PartnerExchangeAlertTrigger, { ...options, parameters: { event: 'transaction' } })),
		);
		const raw = () =>
			Promise.reject(Object.assign(new Error(CANARY), { options: { headers: { 'x-api-key': CANARY } } }));
		const host = { ...fetchingHost(options), helpers: { httpRequest: raw } };
		expectClean(await caught(listSearch['search_pair']!.call(host as never)));
		const data = options.credentials.partnerExchangeApi;
		const said = await credentialTest.testCredential.call({ helpers: { request: raw } } as never, { data } as never);
		expect(said.status).toBe('Error');
		expectClean(said);
	});
});
