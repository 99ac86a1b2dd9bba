import { inspect } from 'node:util';
import { createClient, ExchangeError, type Account } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { acceptAccount } from '@partner-exchange/core/testing';

const account: Account = {
	environment: 'staging',
	baseUrl: 'https://api.example.test/v1',
	wsUrl: 'wss://api.example.test/v1/ws',
	apiKey: 'a-key-of-staging',
};
const accept = (changes: Partial<Account>) => acceptAccount({ ...account, ...changes });
const refusalOf = (changes: Partial<Account>): ExchangeError => {
	try {
		accept(changes);
	} catch (error) {
		return error as ExchangeError;
	}
	throw new Error('it was accepted');
};

describe('acceptAccount', () => {
	it.each(['https://h.test/v1', 'https://h.test/v1/', 'https://h.test/v1//', ' https://h.test/v1\n'])(
		'takes the base address %j as one version and no slash after it',
		(baseUrl) => {
			expect(accept({ baseUrl, wsUrl: 'wss://h.test/v1/ws/' })).toMatchObject({
				baseUrl: 'https://h.test/v1',
				wsUrl: 'wss://h.test/v1/ws',
			});
		},
	);

	it('tells the stream from the routes and the routes from the stream, and the sandbox of this machine from neither', () => {
		const stream = accept({ baseUrl: 'https://api.example.test/v2/', wsUrl: ' ' });
		expect(stream.wsUrl).toBe('wss://api.example.test/v2/ws');
		expect(accept({ baseUrl: '', wsUrl: 'wss://api.example.test/v2/ws' }).baseUrl).toBe('https://api.example.test/v2');
		const none = { baseUrl: '', wsUrl: '' };
		expect(accept({ ...none, environment: 'sandbox' }).wsUrl).toBe('ws://127.0.0.1:4010/v1/ws');
		expect(refusalOf({ ...none, environment: 'production' })).toMatchObject({ field: 'baseUrl' });
		expect(refusalOf({ ...none, environment: 'production' }).message).toContain('is empty');
	});

	it('keeps the version of a base address as it is configured', () => {
		expect(accept({ baseUrl: 'https://api.example.test/v2' }).baseUrl).toBe('https://api.example.test/v2');
	});

	it.each([
		['https://api.example.test', 'must end in /v1', 'Add the version: https://api.example.test/v1'],
		['https://api.example.test/v1/partner', 'must end in /v1', 'Add the version'],
		['api.example.test/v1', 'is not an address', 'such as https://host/v1'],
		['https://u:p@api.example.test/v1', 'must not carry a user', 'The key has its own field'],
		['https://api.example.test/v1?token=abc', 'a query or a fragment', 'The key has its own field'],
		['ftp://api.example.test/v1', 'must start with https://', 'for this machine'],
		['${BASE_URL}', 'is not set', 'Set it where the host is started'],
	])('refuses the base address %j, names the field and says what to do', (baseUrl, what, advice) => {
		const error = refusalOf({ baseUrl });
		expect(error).toMatchObject({ code: 'invalid_account', field: 'baseUrl' });
		expect(error.message).toContain(`Service Address`);
		expect(error.message + error.advice).toContain(advice);
		expect(error.message.replace(/^.*variable /, 'variable ')).toContain(what);
	});

	it.each([
		['environment', 'Environment'],
		['baseUrl', 'Service Address'],
		['wsUrl', 'Stream Address'],
		['apiKey', 'API Key'],
		['controlToken', 'Control Token'],
		['testHosts', 'Test Hosts'],
	])('names a variable of %s that is not set', (field, label) => {
		const { message } = refusalOf({ [field]: '${NOT_SET}' });
		expect(message).toContain(
			`The environment variable \${NOT_SET} of ${label} is not set, or is empty. Set it where the host is`,
		);
	});

	it.each([
		'http://api.example.test/v1',
		'http://127.evil.test/v1',
		'http://localhost.evil.test/v1',
		'http://10.0.0.1/v1',
	])('refuses plain http to %s, which is not this machine', (baseUrl) => {
		expect(refusalOf({ baseUrl })).toMatchObject({ code: 'invalid_account', field: 'baseUrl' });
	});

	it.each(['sandbox', 'sandbox_1', '10.0.0.5', '172.20.0.3', '192.168.1.9', '[fd12:3456::1]', 'host.docker.internal'])(
		'accepts plain http and ws to %s, beside it in its own network, for the sandbox alone',
		(host) => {
			const inner = { baseUrl: `http://${host}:4010/v1`, wsUrl: `ws://${host}:4010/v1/ws` };
			expect(accept({ ...inner, environment: 'sandbox' })).toMatchObject(inner);
			for (const environment of ['staging', 'production'] as const)
				expect(refusalOf({ ...inner, environment }).code).toBe('invalid_account');
		},
	);

	it.each('172.32.0.1 11.0.0.1 8.8.8.8 sandbox.example 10.0.0.5.evil.test [2001:db8::1] docker.internal'.split(' '))(
		'refuses plain http to %s in environment sandbox, too',
		(host) => {
			const outer = { baseUrl: `http://${host}:4010/v1`, wsUrl: `ws://${host}:4010/v1/ws` };
			expect(refusalOf({ ...outer, environment: 'sandbox' }).message).toContain('https://');
		},
	);

	it.each(['127.0.0.1', 'localhost', '[::1]', '127.8.9.1'])(
		'takes plain http and ws to %s, which is this machine',
		(host) => {
			const local = { baseUrl: `http://${host}:4010/v1`, wsUrl: `ws://${host}:4010/v1/ws` };
			expect(accept({ environment: 'sandbox', ...local })).toMatchObject(local);
		},
	);

	it.each([
		['https://169.254.169.254/v1', 'a link-local address (169.254.169.254)'],
		['https://2852039166/v1', 'a link-local address (169.254.169.254)'],
		['https://0251.0376.0251.0376/v1', 'a link-local address (169.254.169.254)'],
		['https://0xa9fea9fe/v1', 'a link-local address (169.254.169.254)'],
		['https://[fe80::1]/v1', 'a link-local address'],
		['https://metadata.google.internal/v1', 'a metadata service'],
		['https://METADATA/v1', 'a metadata service'],
		['https://100.100.100.200/v1', 'a metadata service'],
		['https://[fd00:ec2::254]/v1', 'a metadata service'],
		['https://[fd20:ce::254]/v1', 'a metadata service'],
		['https://168.63.129.16/v1', 'a metadata service'],
		['https://192.0.0.192/v1', 'an address of the network itself'],
		['https://0.0.0.0/v1', 'no host in particular'],
		['https://0/v1', 'no host in particular'],
		['https://[::]/v1', 'no host in particular'],
		['https://[::ffff:127.0.0.1]/v1', 'an IPv4 address written as IPv6'],
		['https://[::ffff:a9fe:a9fe]/v1', 'an IPv4 address written as IPv6'],
		['https://[::127.0.0.1]/v1', 'an IPv4 address written as IPv6'],
		['https://[64:ff9b::7f00:1]/v1', 'an IPv4 address written as IPv6'],
		['https://[2002:a9fe:a9fe::1]/v1', 'an IPv4 address written as IPv6'],
		['https://[2001:0:a9fe:a9fe::1]/v1', 'an IPv4 address written as IPv6'],
		['https://[2001::1]/v1', 'an IPv4 address written as IPv6'],
		['https://224.0.0.1/v1', 'no single host'],
		['https://255.255.255.255/v1', 'no single host'],
		['https://api.example.test./v1', 'ends in a dot'],
		['https://api.example.test:22/v1', 'port 22'],
		['https://api.example.test:1/v1', 'port 1,'],
		['https://a.localhost/v1', 'a second name of this machine'],
	])('refuses %s in every environment: it names %s', (baseUrl, what) => {
		for (const environment of ['sandbox', 'staging', 'production'] as const) {
			const error = refusalOf({ environment, baseUrl });
			expect(error).toMatchObject({ code: 'invalid_account', field: 'baseUrl' });
			expect(error.message).toContain(what);
			expect(
				refusalOf({ environment, baseUrl: 'https://h.test/v1', wsUrl: `${baseUrl.replace('http', 'ws')}/ws` }),
			).toMatchObject({
				field: 'wsUrl',
			});
		}
	});

	it('refuses the port of another service of this machine', () => {
		const mail = { baseUrl: 'http://127.0.0.1:25/v1', wsUrl: 'ws://127.0.0.1:25/v1/ws' };
		expect(refusalOf({ ...mail, environment: 'sandbox' }).message).toContain(
			'port 25, which belongs to other services',
		);
	});

	it.each(['https://host@evil.test/v1', 'https:\\\\evil.test/v1', 'https://h.test/v1/../v1?x', '//evil.test/v1'])(
		'refuses %s, which hides where it goes',
		(baseUrl) => {
			expect(refusalOf({ baseUrl })).toMatchObject({ code: 'invalid_account', field: 'baseUrl' });
		},
	);

	it('shows a host of foreign letters as DNS reads it', () => {
		const homograph = { baseUrl: 'https://\u0430pi.example.test/v1', wsUrl: 'wss://api.example.test/v1/ws' };
		expect(refusalOf(homograph).message).toContain('xn--pi-6kc.example.test and api.example.test');
	});

	it('accepts another port everywhere but in production', () => {
		const odd = { baseUrl: 'https://api.example.test:9443/v1', wsUrl: 'wss://api.example.test:9443/v1/ws' };
		expect(accept(odd)).toMatchObject(odd);
		expect(refusalOf({ ...odd, environment: 'production' }).message).toContain(
			'port 9443, which production does not use',
		);
		expect(accept({ environment: 'production' }).baseUrl).toBe('https://api.example.test/v1');
	});

	it('refuses this machine as production', () => {
		expect(refusalOf({ environment: 'production', baseUrl: 'http://127.0.0.1:4010/v1' }).message).toContain(
			'never production',
		);
	});

	it('refuses addresses of different hosts until that is confirmed', () => {
		const mixed = { wsUrl: 'wss://stream.example.test/v1/ws' };
		expect(refusalOf(mixed).message).toContain('different hosts (api.example.test and stream.example.test)');
		// The words of the switch in both forms.
		expect(refusalOf(mixed).message).toContain('meant to be on different hosts (Allow Different Hosts)');
		expect(accept({ ...mixed, allowDifferentHosts: true }).wsUrl).toBe(mixed.wsUrl);
	});

	it.each(['key\n', ' key', '\tkey\r\n'])('accepts the key %j without the spaces around it', (apiKey) => {
		expect(accept({ apiKey }).apiKey).toBe('key');
	});

	it.each(['one two', 'one\r\nx-evil: 1', 'schlüssel', 'k'.repeat(513)])(
		'refuses a key no service issues',
		(apiKey) => {
			const error = refusalOf({ apiKey });
			expect(error).toMatchObject({ code: 'invalid_account', field: 'apiKey' });
			expect(inspect(error)).not.toContain(apiKey);
		},
	);

	it.each<Record<string, string>>([
		{ 'order.list.limitt': 'size' },
		{ 'order.create.quantity': 'qty' },
		{ 'recipient.create.body': 'x' },
		{ 'order.list.limit': 'a b' },
	])('refuses the wire names %j, which would change nothing or too much', (names) => {
		expect(refusalOf({ names })).toMatchObject({
			code: 'invalid_account',
			field: 'names',
		});
	});

	it('accepts other wire names for inputs whose name is assumed', () => {
		const names = {
			'order.list.limit': 'page_size',
			'transaction.list.currency': 'currency_code',
			'stream.resume': '',
		};
		expect(accept({ names }).names).toEqual(names);
	});

	it('refuses an unknown environment', () => {
		expect(refusalOf({ environment: 'live' as Account['environment'] })).toMatchObject({ field: 'environment' });
	});

	it('checks the account before a client exists', () => {
		expect(() => createClient({ ...account, baseUrl: 'http://api.example.test/v1' }, nodePorts())).toThrow(
			ExchangeError,
		);
	});
});
