import { NodeHelpers, type ICredentialType } from 'n8n-workflow';
import { PartnerExchangeApi } from '../../credentials/PartnerExchangeApi.credentials';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';

describe('the form of the credential', () => {
	const credential: ICredentialType = new PartnerExchangeApi();
	const named = (name: string) => credential.properties.find((each) => each.name === name);

	it('the credential hides the key, starts in the sandbox and can be tested (checklist 109)', () => {
		expect(named('apiKey')?.typeOptions?.password).toBe(true);
		expect(named('environment')?.default).toBe('sandbox');
		expect(new PartnerExchange().description.credentials?.[0]?.testedBy).toBe('testCredential');
	});

	type Values = Record<string, string | boolean>;
	/** The labels on the form of a stored credential, and of a new one where nothing is stored. */
	const row = (stored: Values = {}): string[] => {
		const values = { ...Object.fromEntries(credential.properties.map((each) => [each.name, each.default])), ...stored };
		return credential.properties
			.filter((each) => NodeHelpers.displayParameter(values as never, each, null, null))
			.map(({ displayName, required }) => displayName + (required ? ' *' : ''));
	};
	/** What n8n hands to a node, and what it stores again when the form is saved. */
	const used = (stored: Values) =>
		NodeHelpers.getNodeParameters(credential.properties, stored, true, false, null, null) as Values;

	it('the credential shows four fields, and two sections for the rest', () => {
		expect(row()).toEqual(['Environment', 'Service Address', 'Stream Address', 'API Key *', 'Limits', 'Advanced']);
		const sections = credential.properties
			.filter(({ type }) => type === 'fixedCollection')
			.map(({ options }) => (options as { displayName: string }[]).map(({ displayName }) => displayName));
		expect(sections).toEqual([
			['Stop All Orders', 'Orders per Minute', 'Orders per Day', 'Value per Minute', 'Value per Day'],
			['Test Hosts', 'Allow Different Hosts', 'Control Token', 'Wire Names'],
		]);
	});

	it('the credential prefills no text, and requires the address that only the provider knows', () => {
		const filled = credential.properties.filter((each) => typeof each.default === 'string' && each.default !== '');
		expect(filled.map(({ name, default: value }) => [name, value])).toEqual([['environment', 'sandbox']]);
		for (const environment of ['staging', 'production'])
			expect(row({ environment }).slice(1, 4)).toEqual(['Service Address *', 'Stream Address', 'API Key *']);
	});

	it('n8n saves a credential of the sandbox with nothing but its key, and no other without its address', () => {
		// The form sends what a person changed, and n8n checks this text alone, without the defaults of the form.
		const demanded = (sent: Values): string[] =>
			credential.properties
				.filter((each) => each.required && NodeHelpers.displayParameter(sent as never, each, null, null))
				.map(({ name }) => name);
		expect(demanded({ apiKey: 'key' })).toEqual(['apiKey']);
		expect(demanded({ apiKey: 'key', environment: 'sandbox' })).toEqual(['apiKey']);
		expect(demanded({ apiKey: 'key', environment: 'production' })).toEqual(['baseUrl', 'apiKey']);
	});

	it('the credential keeps and shows every field that was stored before there were sections', () => {
		const set = {
			...{ environment: 'staging', apiKey: 'key', stopAllOrders: true, ordersPerMinute: '10', testHosts: 'a.example' },
			...{ allowDifferentHosts: true, names: '{ "order.list.limit": "size" }', valuePerDay: '={{ $vars.most }}' },
		};
		const stored = { ...set, ordersPerDay: 'none', valuePerMinute: '', controlToken: '' };
		expect(row(stored)).toEqual(
			expect.arrayContaining([
				...['Stop All Orders', 'Orders per Minute', 'Value per Day'],
				...['Test Hosts', 'Allow Different Hosts', 'Wire Names'],
			]),
		);
		for (const unset of ['Orders per Day', 'Value per Minute', 'Control Token'])
			expect(row(stored)).not.toContain(unset);
		expect(used(stored)).toMatchObject(set);
	});

	it('the credential hides the key and the token wherever they stand', () => {
		const text = JSON.stringify(credential.properties);
		for (const name of ['apiKey', 'controlToken'])
			for (const [field] of text.matchAll(
				new RegExp(`"name":"${name}","type":"string","typeOptions":\\{[^}]*\\}`, 'g'),
			))
				expect(field).toContain('"password":true');
		expect(text.match(/"password":true/g)).toHaveLength(3);
	});
});
