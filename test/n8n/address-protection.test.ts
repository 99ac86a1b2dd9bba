import '../support/ssrf-protection';
import { startSandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { startTrigger } from '../support/engine-trigger';
import { makeFill } from '../support/fills';
import type { HttpHost } from '../../nodes/shared/host/egress';
import { hostHttp, hostSocket } from '../../nodes/shared/host/ports';
import { failureOf, get, n8nHelpers } from '../transport/adapters';
import { credentialFor, run } from './exchange';
import { forAll } from '../support/opened';

const form = { topics: ['user.fills'], pairs: [], filters: {}, options: {} };

describe("an address that n8n's address protection forbids", () => {
	const sandbox = forAll(() => startSandbox({ marketMaker: false, settings: { orderDelayMs: 0 } }));
	beforeEach(() => void sandbox.requests.splice(0));

	const clients = async (): Promise<number> => {
		const state = await fetch(`${sandbox.url}/_sandbox/state`);
		return ((await state.json()) as { clients: unknown[] }).clients.length;
	};

	it("sends no request to an address that n8n's protection forbids, and names the protection", async () => {
		const { error } = await run(sandbox, { resource: 'wallet', operation: 'getBalances' });
		expect(error!.message).toContain("n8n's address protection stopped the request");
		expect(sandbox.requests).toEqual([]);
	});

	it("opens no stream, and sends no key, to an address that n8n's protection forbids, and names it", async () => {
		const trigger = startTrigger(PartnerExchangeTrigger, { ...credentialFor(sandbox), parameters: form });
		await expect(trigger).rejects.toThrow("n8n's address protection stopped the connection");
		expect(await clients()).toBe(0);
	});

	it('connects to a protected address that is allowed by name', async () => {
		const [baseUrl, wsUrl] = [sandbox.baseUrl, sandbox.wsUrl].map((url) => url.replace('127.0.0.1', 'localhost'));
		const trigger = await startTrigger(PartnerExchangeTrigger, {
			...credentialFor(sandbox, { baseUrl, wsUrl }),
			parameters: form,
		});
		await makeFill(sandbox);
		await trigger.waitForItems(1);
		expect(await clients()).toBe(1);
		await trigger.close();
	});
});

describe('a host name that leads to a metadata service', () => {
	const sandbox = forAll(() => startSandbox());

	/** n8n's helpers, whose name service answers with an address of its own. */
	async function misled(): Promise<HttpHost> {
		const { httpRequest, getSecureEgressFilter } = await n8nHelpers();
		const filter = { ...getSecureEgressFilter('unsafe') };
		filter.createSecureLookup = () => (_host, _options, callback) => callback(null, '169.254.169.254', 4);
		return { helpers: { httpRequest, getSecureEgressFilter: () => filter } };
	}

	it('sends neither a request nor a connection with the key to a host name of a metadata service', async () => {
		const [baseUrl, wsUrl] = [sandbox.baseUrl, sandbox.wsUrl].map((url) => url.replace('127.0.0.1', 'localhost'));
		const host = await misled();
		expect(await failureOf(hostHttp(host)(get(`${baseUrl}/x`)))).toEqual({ reason: 'forbidden', sent: 'never' });
		const ignored = (): void => undefined;
		const closed = new Promise((resolve) => {
			hostSocket(host)(`${wsUrl}?token=x`, { opened: ignored, messages: ignored, closed: resolve });
		});
		expect(await closed).toEqual({ refusal: expect.stringContaining('never an exchange') as string });
		expect(sandbox.requests).toEqual([]);
	});
});
