import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createClient, type SendHttp } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { openPort } from '../support/loopback';
import { version } from '../../packages/core/package.json';
import { adapters, get } from './adapters';

interface Answer {
	status: number;
	headers?: Record<string, string>;
	body?: Buffer | string;
}

let server: Server;
let url: string;
let answer: Answer;
let asked: IncomingHttpHeaders[] = [];
beforeAll(async () => {
	server = createServer((request, response) => {
		asked.push(request.headers);
		request.resume();
		response.writeHead(answer.status, answer.headers).end(answer.body);
	});
	url = `http://127.0.0.1:${await openPort(server)}/v1`;
});
beforeEach(() => (asked = []));
afterAll(() => {
	server.closeAllConnections();
	server.close();
});

const account = () => ({
	environment: 'sandbox' as const,
	apiKey: 'key',
	baseUrl: url,
	wsUrl: `${url.replace('http', 'ws')}/ws`,
});
const client = () => createClient(account(), nodePorts());
const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '1', price: '1500' } as const;
const text = '{"status":"success","data":{"currencies":[]}}';

describe.each(adapters)('over the requests of %s', (_, open) => {
	let send: SendHttp;
	beforeAll(async () => void (send = await open()));

	it.each(['gzip', 'br', 'deflate', 'GZIP', 'gzip, br', 'zstd'])(
		'takes an answer without a body as empty, whatever it says of its encoding: %s',
		async (encoding) => {
			for (const status of [204, 401, 403, 404, 409, 422, 429, 500]) {
				answer = { status, headers: { 'content-encoding': encoding } };
				expect(await send(get(url))).toMatchObject({ status, body: '' });
			}
		},
	);

	it.each([
		['gzip', gzipSync(text)],
		['x-gzip', gzipSync(text)],
		['br', brotliCompressSync(text)],
		['deflate', deflateSync(text)],
	])('reads an answer packed with %s, asked for or not', async (encoding, body) => {
		answer = { status: 200, headers: { 'content-encoding': encoding }, body };
		expect(await send(get(url))).toMatchObject({ status: 200, body: text });
	});

	it.each([
		['in UTF-8', 'application/json; charset=utf-8', 'utf8'],
		['in UTF-8, and says nothing', 'application/json', 'utf8'],
		['in UTF-8, under a name that nobody knows', 'application/json; charset=none', 'utf8'],
		['in Latin-1', 'application/json;charset=ISO-8859-1', 'latin1'],
		['in UTF-16', 'application/json; charset="utf-16le"', 'utf16le'],
	] as const)('reads the name of a person from an answer %s', async (_, type, encoding) => {
		const row = JSON.stringify({ status: 'success', data: [{ id: 'r1', label: 'Zoë Adébáyò' }] });
		answer = { status: 200, headers: { 'content-type': type }, body: Buffer.from(row, encoding) };
		expect(await send(get(url))).toMatchObject({ status: 200, body: row });
	});
});

describe('a client of plain Node', () => {
	it.each([
		['packed twice', 'gzip, gzip', gzipSync(gzipSync(text))],
		['packed by two programs', 'deflate, br', brotliCompressSync(deflateSync(text))],
		['plain under a header that claims gzip', 'gzip', text],
		['plain under a header that claims br', 'br', text],
	])('reads an answer that is %s', async (_, encoding, body) => {
		answer = { status: 200, headers: { 'content-encoding': encoding }, body };
		expect(await client().wallet.currencies()).toEqual({ currencies: [] });
	});

	it.each([
		[401, 'unauthorized'],
		[403, 'forbidden'],
		[422, 'refused'],
	])('posts an order once that is refused with %i and no body, or a damaged one', async (status, code) => {
		for (const body of ['', 'damaged', gzipSync(text).subarray(0, 20)]) {
			asked = [];
			answer = { status, headers: { 'content-encoding': 'gzip' }, body };
			await expect(client().order.create(order)).rejects.toMatchObject({ code });
			expect(asked.filter(({ 'idempotency-key': key }) => key !== undefined)).toHaveLength(1);
		}
	});

	it('says who it is, with its version', async () => {
		answer = { status: 200, body: text };
		await client().wallet.currencies();
		await createClient(account(), nodePorts('node-red')).wallet.currencies();
		const names = asked.map(({ 'user-agent': name }) => name);
		expect(names).toEqual([`partner-exchange/${version} (script)`, `partner-exchange/${version} (node-red)`]);
	});

	it.each([
		['text/html; charset=utf-8', '<html><title>Attention Required!</title>'],
		['text/plain', '\n<!DOCTYPE html><h1>Access denied</h1>'],
	])('says of a 403 with a page of %s that a firewall sent it, and blames no key', async (type, body) => {
		answer = { status: 403, headers: { 'content-type': type }, body };
		const error = (await client()
			.wallet.currencies()
			.catch((each: unknown) => each)) as Error;
		expect(error).toMatchObject({ code: 'forbidden', message: expect.stringContaining('firewall') });
		expect(error.message).not.toMatch(/key may not|account is not ready|<h/i);
	});

	it('says of a 403 in JSON what the key may not do', async () => {
		answer = { status: 403, body: '{"message":"no scope"}' };
		await expect(client().wallet.currencies()).rejects.toMatchObject({ message: expect.stringContaining('key') });
	});
});
