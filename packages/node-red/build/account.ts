/** The account's form, definition and help. Pure. */
import { errorCodes } from '@partner-exchange/core';
import { limitFields, NO_LIMIT, stopSwitch } from '@partner-exchange/core/adapters';
import { environments } from '@partner-exchange/core/catalogue';
import { ACCOUNT_TYPE } from '../src/types';
import { definition, paletteLabel } from './definitions';
import { page, sentence } from './help';
import { attributes, form, row } from './html';
import { accountPage } from './pages';
import { sayLines, type Say } from './say';

const id = (name: string) => `node-config-input-${name}`;
const input = (name: string, type = 'text', more = '') => `<input type="${type}" id="${id(name)}"${more}>`;

const choices = Object.entries(environments)
	.map(([value, { baseUrl }]) => {
		const words = `environments.${value}.label`;
		return `<option${attributes({ value, 'data-base-url': baseUrl, 'data-i18n': words })}></option>`;
	})
	.join('');

export const accountForm = form(ACCOUNT_TYPE, [
	row({ for: id('name'), icon: 'tag', key: 'common.name' }, input('name')),
	row(
		{ for: id('environment'), icon: 'globe', key: 'account.environment' },
		`<select id="${id('environment')}">${choices}</select>\n\t\t<span class="partner-exchange-unit" id="partner-exchange-environment"></span>`,
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
	'\t<details class="partner-exchange-more" id="partner-exchange-stream">\n\t\t<summary data-i18n="account.stream.title"></summary>',
	'\t\t<div id="partner-exchange-stream-tables"></div>',
	'\t\t<button type="button" class="red-ui-button red-ui-button-small" id="partner-exchange-stream-again"><i class="fa fa-refresh"></i> <span data-i18n="account.stream.again"></span></button>',
	'\t</details>',
	'\t<details class="partner-exchange-more">\n\t\t<summary data-i18n="account.advanced"></summary>',
	...Object.keys(limitFields).map((name) =>
		row(
			{ for: id(name), key: `account.limits.${name}`, help: `account.limitsHelp.${name}` },
			input(name, 'text', ` placeholder="${NO_LIMIT}"`),
		),
	),
	`\t\t<div class="form-row partner-exchange-check">${input('allowDifferentHosts', 'checkbox')}<label for="${id('allowDifferentHosts')}" data-i18n="account.allowDifferentHosts"></label></div>`,
	row(
		{ for: id('testHosts'), key: 'account.testHosts', help: 'account.testHostsHelp' },
		input('testHosts', 'text', ' data-example="staging.example.com"'),
	),
	row(
		{ for: id('controlToken'), key: 'account.controlToken', help: 'account.controlTokenHelp' },
		input('controlToken', 'password'),
	),
	row(
		{ for: id('names'), key: 'account.names', help: 'account.namesHelp' },
		input('names', 'text', ' placeholder="{}"'),
	),
	'\t</details>',
	'\t<div class="form-tips" data-i18n="account.tip"></div>',
]);

const { baseUrl } = environments.sandbox;

export const accountDefinition = definition(ACCOUNT_TYPE, [
	`category: 'config',`,
	...paletteLabel('account'),
	'defaults: {',
	`\tname: { value: '' },`,
	`\tenvironment: { value: 'sandbox', required: true },`,
	`\tbaseUrl: { value: '${baseUrl}', required: true, validate: partnerExchange.validUrl('/v[0-9]+', 'account.baseUrl', 'https://api.example.com/v1') },`,
	`\twsUrl: { value: '', validate: partnerExchange.validUrl('/v[0-9]+/ws', 'account.wsUrl', 'wss://api.example.com/v1/ws', true) },`,
	`\tallowDifferentHosts: { value: false },`,
	`\ttestHosts: { value: '' },`,
	...Object.keys(limitFields).map(
		(name) => `\t${name}: { value: '${NO_LIMIT}', validate: partnerExchange.validLimit('account.limits.${name}') },`,
	),
	`\t${stopSwitch.name}: { value: false },`,
	`\tnames: { value: '' },`,
	'},',
	'credentials: {',
	`\tapiKey: { type: 'password' },`,
	`\tcontrolToken: { type: 'password' },`,
	'},',
	'label: function () {',
	`\treturn this.name || this.environment + ' ' + this._('account.label');`,
	'},',
	'oneditprepare: function () {',
	'\tpartnerExchange.prepareAccount(this);',
	'},',
]);

const codesOf = (say: Say): string =>
	Object.entries(errorCodes)
		.map(([code, { advice, retryable }]) =>
			[`- \`${code}\`: ${sentence(say(advice))}`, retryable ? say('Trying again may help.') : ''].join(' ').trim(),
		)
		.join('\n');

export const accountHelp = (say: Say): string => page(ACCOUNT_TYPE, `${sayLines(say, accountPage)}\n\n${codesOf(say)}`);
