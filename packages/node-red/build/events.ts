/** Forms, definitions and help of the two nodes that listen. Pure. */
import { orderStatuses, topics, transactionStatuses } from '@partner-exchange/core/catalogue';
import { EVENTS_TYPE, WALLET_EVENTS_TYPE } from '../src/types';
import { commonDefaults, definition, labelStyle, paletteLabel } from './definitions';
import { headOf } from './forms';
import { page } from './help';
import { attributes, escape, form, row, select } from './html';
import { topicKey } from './locale';
import { sayLines, type Say } from './say';
import { familyOf } from './words';
import { eventsPage, walletEventsPage } from './pages';

const checkbox = (
	name: string,
	value: string,
	label: string,
	more: Readonly<Record<string, string | undefined>> = {},
): string =>
	`<label><input${attributes({ type: 'checkbox', class: `partner-exchange-${name}`, value, ...more })}>${label}</label>`;
const boxes = (content: readonly string[]): string => `<div class="partner-exchange-boxes">${content.join('')}</div>`;
const check = (name: string): string =>
	`\t<div class="form-row partner-exchange-check"${helpful.has(name) ? ` data-i18n="[title]events.${name}Help"` : ''}><input type="checkbox" id="node-input-${name}"><label for="node-input-${name}" data-i18n="events.${name}"></label></div>`;
const text = (name: string, more: Readonly<Record<string, string>> = {}): string =>
	`<input${attributes({ type: 'text', id: `node-input-${name}`, ...more })}>`;
const field = (name: string, content = text(name), icon?: string): string =>
	row(
		{
			for: `node-input-${name}`,
			key: `events.${name}`,
			icon,
			help: helpful.has(name) ? `events.${name}Help` : undefined,
		},
		content,
	);
const helpful = new Set([
	'control',
	'taken',
	'settle',
	'pairs',
	'batch',
	'store',
	'lost',
	'threshold',
	'hysteresis',
	'seconds',
]);

const topicBoxes = Object.entries(topics).map(([id, { perPair }]) =>
	checkbox('topic', id, `<span data-i18n="topics.${topicKey(id)}"></span>`, {
		'data-per-pair': perPair ? 'true' : undefined,
	}),
);
const statusBoxes = boxes(Object.keys(orderStatuses).map((status) => checkbox('status', status, escape(status))));
const sides = [
	{ value: '', key: 'events.anySide' },
	{ value: 'buy', key: 'events.buy' },
	{ value: 'sell', key: 'events.sell' },
];
const takings = [
	{ value: 'complete', key: 'events.takenWhenComplete' },
	{ value: 'back', key: 'events.takenWhenBack' },
	{ value: 'time', key: 'events.takenAfterTime' },
];
const directions = ['below', 'above', 'both'].map((value) => ({ value, key: `events.directions.${value}` }));
const storeSelect = select('node-input-store', [{ value: '', key: 'events.ownFile' }]);
const lostSelect = select('node-input-lost', [
	{ value: 'stop', key: 'events.lostStop' },
	{ value: 'now', key: 'events.lostNow' },
]);

const eventsForm = form(EVENTS_TYPE, [
	...headOf(),
	row({ for: 'node-input-name', icon: 'rss', key: 'events.topics' }, boxes(topicBoxes)),
	`\t<div class="partner-exchange-per-pair">\n${row({ for: 'partner-exchange-pairs', key: 'events.pairs', help: 'events.pairsHelp' }, '<input type="text" id="partner-exchange-pairs" data-example="USD/NGN" data-pick="pair">')}\n\t</div>`,
	check('missed'),
	'\t<details class="partner-exchange-options">\n\t\t<summary data-i18n="events.filters"></summary>',
	`\t<div class="partner-exchange-per-order">\n${row({ for: 'node-input-name', key: 'events.statuses' }, statusBoxes)}\n\t</div>`,
	field('side', select('node-input-side', sides)),
	field('pair', text('pair', { 'data-example': 'USD/NGN', 'data-pick': 'pair' })),
	field('minQuantity', text('minQuantity', { 'data-example': '100.00' })),
	'\t</details>',
	'\t<details class="partner-exchange-options">\n\t\t<summary data-i18n="events.delivery"></summary>',
	field('batch'),
	check('notices'),
	check('control'),
	field('taken', select('node-input-taken', takings)),
	`\t<div class="partner-exchange-by-time">\n${field('settle')}\n\t</div>`,
	'\t<div class="form-row form-tips partner-exchange-by-return" data-i18n="events.takenTip"></div>',
	field('store', storeSelect),
	field('lost', lostSelect),
	'\t</details>',
]);

const walletForm = form(WALLET_EVENTS_TYPE, [
	...headOf(),
	field(
		'event',
		select('node-input-event', [
			{ value: 'balance', key: 'events.balances' },
			{ value: 'transaction', key: 'events.transactions' },
		]),
		'eye',
	),
	field('currency', text('currency', { 'data-example': 'NGN', 'data-pick': 'currency' })),
	`\t<div class="partner-exchange-transaction">\n${row({ for: 'node-input-status_value', key: 'events.transactionStatus' }, statusSelect())}\n\t</div>`,
	`\t<div class="partner-exchange-balance">\n${field('threshold', text('threshold', { 'data-example': '5000000.00' }))}\n${field('direction', select('node-input-direction', directions))}\n${field('hysteresis', text('hysteresis', { 'data-example': '100000.00' }))}\n${check('initial')}\n\t</div>`,
	field('seconds'),
	field('store', storeSelect),
	field('lost', lostSelect),
]);

function statusSelect(): string {
	const options = Object.keys(transactionStatuses).map((status) => `<option value="${status}">${status}</option>`);
	return `<select id="node-input-status_value"><option value="" data-i18n="events.any"></option>${options.join('')}</select>`;
}

export const eventsForms = [eventsForm, walletForm];

const shared = (name: string) => [
	`category: 'partner exchange',`,
	`color: '${familyOf(name).color}',`,
	'inputs: 0,',
	`icon: '${familyOf(name).icon}',`,
	...paletteLabel(name),
	...labelStyle,
];

export const eventsDefinitions = [
	definition(EVENTS_TYPE, [
		...shared('events'),
		'defaults: {',
		...[
			...commonDefaults,
			`topics: { value: ['user.fills'], required: true, validate: partnerExchange.validTopics },`,
			`pairs: { value: [] },`,
			`statuses: { value: [] },`,
			`side: { value: '' },`,
			`pair: { value: '' },`,
			`minQuantity: { value: '', validate: partnerExchange.valid('decimal', 'minQuantity', 'events.minQuantity') },`,
			`missed: { value: true },`,
			`batch: { value: '1', validate: partnerExchange.valid('integer', 'batch', 'events.batch') },`,
			`notices: { value: true },`,
			`control: { value: false },`,
			`taken: { value: 'complete' },`,
			`settle: { value: '1', validate: partnerExchange.valid('decimal', 'settle', 'events.settle') },`,
			`store: { value: '' },`,
			`lost: { value: 'stop' },`,
			`inputs: { value: 0 },`,
			`outputs: { value: 2 },`,
		].map((line) => `\t${line}`),
		'},',
		'outputs: 2,',
		'label: function () {',
		`\tconst name = (topic) => this._('topics.' + topic.replace('.', '-'));`,
		`\treturn this.name || (this.topics || []).map(name).join(', ') || 'events';`,
		'},',
		'inputLabels: function () {',
		`\tconst back = this.taken === 'back';`,
		`\treturn this._('events.ports.' + (this.control ? (back ? 'both' : 'control') : 'back'));`,
		'},',
		'outputLabels: function (port) {',
		`\tconst names = ['event', ...(this.notices ? ['notice'] : []), ...(this.control ? ['answer'] : [])];`,
		`\treturn this._('events.ports.' + names[port]);`,
		'},',
		'oneditprepare: function () {',
		'\tpartnerExchange.prepareEvents(this);',
		'},',
		'oneditsave: function () {',
		'\tpartnerExchange.saveEvents(this);',
		'},',
	]),
	definition(WALLET_EVENTS_TYPE, [
		...shared('wallet-events'),
		'defaults: {',
		...[
			...commonDefaults,
			`event: { value: 'balance' },`,
			`currency: { value: '', validate: partnerExchange.validCurrency },`,
			`status_value: { value: '' },`,
			`threshold: { value: '', validate: partnerExchange.validThreshold },`,
			`direction: { value: 'below' },`,
			`hysteresis: { value: '', validate: partnerExchange.valid('decimal', 'hysteresis', 'events.hysteresis') },`,
			`initial: { value: false },`,
			`seconds: { value: '30', validate: partnerExchange.valid('integer', 'seconds', 'events.seconds') },`,
			`store: { value: '' },`,
			`lost: { value: 'stop' },`,
		].map((line) => `\t${line}`),
		'},',
		'outputs: 1,',
		'label: function () {',
		`\tconst line = { below: '<', above: '>', both: '<>' }[this.direction] + ' ' + this.threshold;`,
		`\tconst balance = this.currency && this.threshold ? this.currency + ' ' + line : this._('events.balances');`,
		`\tconst watched = this.event === 'balance' ? balance : this._('events.transactions');`,
		`\treturn this.name || this._('titles.wallet-events') + ': ' + watched;`,
		'},',
		'oneditprepare: function () {',
		'\tpartnerExchange.prepareWalletEvents(this);',
		'},',
	]),
];

export const eventsHelp = (say: Say): string[] => [
	page(EVENTS_TYPE, sayLines(say, eventsPage)),
	page(WALLET_EVENTS_TYPE, sayLines(say, walletEventsPage)),
];
