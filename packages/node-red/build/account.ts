/** The account's form, definition and help. Pure. */
import { errorCodes } from '@partner-exchange/core';
import { limitFields, NO_LIMIT, stopSwitch } from '@partner-exchange/core/adapters';
import { environments } from '@partner-exchange/core/catalogue';
import { ACCOUNT_TYPE } from '../src/types';
import { definition } from './definitions';
import { page } from './help';
import { attributes, escape, form, row } from './html';

const id = (name: string) => `node-config-input-${name}`;
const input = (name: string, type = 'text', more = '') => `<input type="${type}" id="${id(name)}"${more}>`;

const choices = Object.entries(environments)
	.map(([value, { label, help, baseUrl, wsUrl }]) => {
		const addresses = attributes({ value, 'data-base-url': baseUrl, 'data-ws-url': wsUrl });
		return `<option${addresses}>${escape(`${label} – ${help.charAt(0).toLowerCase()}${help.slice(1)}`)}</option>`;
	})
	.join('');

export const accountForm = form(ACCOUNT_TYPE, [
	row({ for: id('name'), icon: 'tag', key: 'common.name' }, input('name')),
	row(
		{ for: id('environment'), icon: 'globe', key: 'account.environment' },
		`<select id="${id('environment')}">${choices}</select>`,
	),
	row(
		{ for: id('baseUrl'), icon: 'link', key: 'account.baseUrl' },
		input('baseUrl', 'text', ' placeholder="https://…/v1"'),
	),
	row({ for: id('wsUrl'), icon: 'bolt', key: 'account.wsUrl' }, input('wsUrl', 'text', ' placeholder="wss://…/v1/ws"')),
	row({ for: id('apiKey'), icon: 'lock', key: 'account.apiKey' }, input('apiKey', 'password')),
	`\t<div class="form-row partner-exchange-check">${input(stopSwitch.name, 'checkbox')}<label for="${id(stopSwitch.name)}" data-i18n="account.stopAllOrders"></label></div>`,
	`\t<div class="form-row"><label></label> <button type="button" class="red-ui-button" id="partner-exchange-test"><i class="fa fa-plug"></i> <span data-i18n="account.test"></span></button></div>`,
	`\t<div class="form-row" id="partner-exchange-test-result" role="status"></div>`,
	'\t<details class="partner-exchange-more">\n\t\t<summary data-i18n="account.advanced"></summary>',
	`\t\t<div class="form-row partner-exchange-check">${input('allowDifferentHosts', 'checkbox')}<label for="${id('allowDifferentHosts')}" data-i18n="account.allowDifferentHosts"></label></div>`,
	row(
		{ for: id('testHosts'), key: 'account.testHosts', help: 'account.testHostsHelp' },
		input('testHosts', 'text', ' placeholder="e.g. staging.example.com"'),
	),
	...Object.keys(limitFields).map((name) =>
		row(
			{ for: id(name), key: `account.limits.${name}`, help: `account.limitsHelp.${name}` },
			input(name, 'text', ` placeholder="${NO_LIMIT}"`),
		),
	),
	row(
		{ for: id('names'), key: 'account.names', help: 'account.namesHelp' },
		input('names', 'text', ' placeholder="{}"'),
	),
	'\t</details>',
	'\t<div class="form-tips" data-i18n="account.tip"></div>',
]);

const { baseUrl, wsUrl } = environments.sandbox;

export const accountDefinition = definition(ACCOUNT_TYPE, [
	`category: 'config',`,
	'defaults: {',
	`\tname: { value: '' },`,
	`\tenvironment: { value: 'sandbox', required: true },`,
	`\tbaseUrl: { value: '${baseUrl}', required: true, validate: partnerExchange.validUrl('/v[0-9]+') },`,
	`\twsUrl: { value: '${wsUrl}', required: true, validate: partnerExchange.validUrl('/v[0-9]+/ws') },`,
	`\tallowDifferentHosts: { value: false },`,
	`\ttestHosts: { value: '' },`,
	...Object.keys(limitFields).map(
		(name) => `\t${name}: { value: '${NO_LIMIT}', validate: partnerExchange.validLimit },`,
	),
	`\t${stopSwitch.name}: { value: false },`,
	`\tnames: { value: '' },`,
	'},',
	'credentials: {',
	`\tapiKey: { type: 'password' },`,
	'},',
	'label: function () {',
	`\treturn this.name || this.environment + ' ' + this._('account.label');`,
	'},',
	'oneditprepare: function () {',
	'\tpartnerExchange.prepareAccount(this);',
	'},',
]);

const codes = Object.entries(errorCodes)
	.map(([code, { advice, retryable }]) => `- \`${code}\`: ${advice}${retryable ? '. Trying again may help' : ''}.`)
	.join('\n');

export const accountHelp = page(
	ACCOUNT_TYPE,
	`One environment of the exchange and the key that opens it. Nodes that name the same account share one client and one stream.

### Details

Each environment has its own addresses and its own key: make one account per environment. For the sandbox on this machine the addresses are filled in.

The address of the REST routes ends in \`/v1\`, the address of the stream in \`/v1/ws\`. Plain \`http://\` and \`ws://\` are accepted for this machine only.

The key is kept in the encrypted credentials of Node-RED, never in the flow, so an exported flow does not hold it. Public lists, public topics and simulations use no key.

Every setting may be an environment variable, written as \`\${NAME}\` and nothing else. A variable that is not set is reported by the nodes and never sent.

The sandbox takes the key \`sandbox-key\`. For staging and production your provider gives you a key and both addresses.

Any other host than this machine counts as production, whatever the environment is called, until **Test hosts** names it. Nodes that change something act in production only where **Allow production** is set in their form.

**Orders per minute**, **Orders per day**, **Value per minute** and **Value per day** hold everything back that the account sends, whichever node sends it: a loop that goes wild stops by itself. \`none\` limits nothing; an empty field is refused. The value is quantity times price, so a limit on it refuses market orders. Node-RED counts from its start, and goes on counting over a deploy.

**Stop all orders** lets nothing but cancels through once it is deployed. Nodes of the account then show \`orders stopped\`.

**Test connection** reads the balances with the settings as they stand in this form. A key that is already stored is only sent to the addresses it was deployed with; for others, enter it again.

**Wire names** overrides the names of inputs that the service does not document, such as \`{"order.list.limit":"page_size"}\`.

### Error codes

A Catch node finds one of these in \`msg.error.code\`, of whichever node. \`msg.error.cause\` has the field, the status, the advice and what else is known.

${codes}`,
);
