/** Forms, definitions, words and help of the two nodes that listen, from their fields. Pure. */
import type { ListenerField } from '@partner-exchange/core/catalogue';
import { eventsRows, alertRows, type ListenerRow } from '../src/events/fields';
import { EVENTS_TYPE, ALERTS_TYPE } from '../src/types';
import { commonDefaults, definition, labelStyle, paletteLabel } from './definitions';
import { headOf } from './forms';
import { page } from './help';
import { attributes, escape, form, row, select } from './html';
import { eventsPage, alertsPage } from './pages';
import { nameKey, sayLabel, sayLines, sayNames, type Say } from './say';
import { familyOf } from './words';

const icons: Readonly<Record<string, string>> = { topics: 'rss', event: 'eye' };

/** The locale has the words of a field under its property. */
const wordOf = (property: string, part: string): string => `events.fields.${property}.${part}`;
const valueWord = (property: string, value: string): string => wordOf(property, `values.${nameKey(value)}`);

function rowOf({ property, field, when }: ListenerRow): string {
	const shared = when === undefined ? {} : { class: 'partner-exchange-when', 'data-when': when };
	if (field.kind === 'boolean') return checkRow(property, field, shared);
	const key = wordOf(property, 'label');
	const help = field.help === '' ? undefined : wordOf(property, 'help');
	const id = field.kind === 'choices' ? `partner-exchange-${property}` : `node-input-${property}`;
	return row({ for: id, icon: icons[property], key, help }, inputOf(id, property, field), shared);
}

function checkRow(property: string, { help }: ListenerField, shared: { class?: string; 'data-when'?: string }): string {
	const id = `node-input-${property}`;
	const around = attributes({
		class: ['form-row partner-exchange-check', shared.class].filter(Boolean).join(' '),
		'data-when': shared['data-when'],
		'data-i18n': help === '' ? undefined : `[title]${wordOf(property, 'help')}`,
	});
	return `\t<div${around}><input type="checkbox" id="${id}"><label for="${id}" data-i18n="${wordOf(property, 'label')}"></label></div>`;
}

function inputOf(id: string, property: string, field: ListenerField): string {
	const { kind, values = [], named, pick } = field;
	if (kind === 'choices' && !pick) return boxesOf(property, field);
	if (kind === 'choice') {
		const none = field.optional ? [{ value: '', key: 'events.any' }] : [];
		return select(id, [...none, ...values.map((value) => ({ value, key: valueWord(property, value) }))]);
	}
	return `<input${attributes({
		type: 'text',
		id,
		'data-property': kind === 'choices' ? property : undefined,
		'data-example': kind === 'integer' || named ? undefined : field.example,
		'data-pick': pick,
		'data-several': field.several ? '' : undefined,
	})}>`;
}

/** Values of the wire are shown as the other forms show them; others have words. */
function boxesOf(property: string, { values = [], named }: ListenerField): string {
	const boxes = values.map((value) => {
		const box = attributes({ type: 'checkbox', class: 'partner-exchange-box', 'data-property': property, value });
		const word = named ? `<span data-i18n="${valueWord(property, value)}"></span>` : escape(value.replaceAll('_', ' '));
		return `<label><input${box}>${word}</label>`;
	});
	return `<div class="partner-exchange-boxes">${boxes.join('')}</div>`;
}

const folded = (title: string, rows: readonly string[]): string[] => [
	`\t<details class="partner-exchange-options">\n\t\t<summary data-i18n="events.${title}"></summary>`,
	...rows,
	'\t</details>',
];

const backTip =
	'\t<div class="form-row form-tips partner-exchange-when" data-when="taken=back" data-i18n="events.takenTip"></div>';

export const listenerForms = [
	form(EVENTS_TYPE, [
		...headOf(),
		...eventsRows.chosen.map(rowOf),
		...folded('filters', eventsRows.filters.map(rowOf)),
		...folded('delivery', [...eventsRows.delivery.map(rowOf), backTip]),
	]),
	form(ALERTS_TYPE, [...headOf(), ...alertRows.map(rowOf)]),
];

const eventsAll = Object.values(eventsRows).flat();

/** Labels, help and values of every field, in the case of Node-RED. */
export const listenerWords = (say: Say) =>
	Object.fromEntries([...eventsAll, ...alertRows].map(({ property, field }) => [property, wordsOf(field, say)]));

const wordsOf = ({ label, help, named = {} }: ListenerField, say: Say) => ({
	label: sayLabel(say, label),
	...(help === '' ? {} : { help: say(help) }),
	values: sayNames(say, named),
});

const shared = (name: string) => [
	`category: 'partner exchange',`,
	`color: '${familyOf(name).color}',`,
	'inputs: 0,',
	`icon: '${familyOf(name).icon}',`,
	...paletteLabel(name),
	...labelStyle,
];

/** Checks that are more than the kind of a field. */
const checks: Readonly<Record<string, string>> = {
	topics: 'required: true, validate: partnerExchange.validTopics',
	currency: 'validate: partnerExchange.validCurrency',
	threshold: `validate: partnerExchange.needed('balance', 'threshold', 'decimal')`,
	pair_id: `validate: partnerExchange.needed('rate', 'pair_id')`,
	rate: `validate: partnerExchange.needed('rate', 'rate', 'decimal')`,
};

function defaultOf({ property, field }: ListenerRow): string {
	const isNumber = field.kind === 'integer' || field.kind === 'decimal';
	const check = isNumber
		? `validate: partnerExchange.valid('${field.kind}', '${property}', '${wordOf(property, 'label')}')`
		: undefined;
	const more = [checks[property] ?? check].filter((part) => part !== undefined);
	return `${property}: { ${[`value: ${startOf(field)}`, ...more].join(', ')} },`;
}

function startOf({ kind, default: value }: ListenerField): string {
	if (kind === 'boolean') return String(value);
	if (kind !== 'choices') return `'${String(value ?? '')}'`;
	return `[${((value ?? []) as readonly string[]).map((each) => `'${each}'`).join(', ')}]`;
}

const defaults = (rows: readonly ListenerRow[], more: readonly string[] = []): string[] => [
	'defaults: {',
	...[...commonDefaults, ...rows.map(defaultOf), ...more].map((line) => `\t${line}`),
	'},',
];

export const listenerDefinitions = [
	definition(EVENTS_TYPE, [
		...shared('events'),
		...defaults(eventsAll, [`inputs: { value: 0 },`, `outputs: { value: 2 },`]),
		'outputs: 2,',
		'label: function () {',
		`\tconst name = (topic) => this._('events.fields.topics.values.' + topic.replace('.', '-'));`,
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
	definition(ALERTS_TYPE, [
		...shared('alerts'),
		...defaults(alertRows),
		'outputs: 1,',
		'label: function () {',
		`\tconst isRate = this.event === 'rate';`,
		`\tconst [of, line] = isRate ? [this.pair_id, this.rate] : [this.currency, this.threshold];`,
		`\tconst watched = (isRate || this.event === 'balance') && of && line`,
		`\t\t? of + ' ' + { below: '<', above: '>', both: '<>' }[this.direction] + ' ' + line`,
		`\t\t: this._('events.fields.event.values.' + (this.event || 'transaction'));`,
		`\treturn this.name || this._('titles.alerts') + ': ' + watched;`,
		'},',
		'oneditprepare: function () {',
		'\tpartnerExchange.prepareAlerts(this);',
		'},',
		'oneditsave: function () {',
		'\tpartnerExchange.saveListener(this);',
		'},',
	]),
];

export const listenerHelp = (say: Say): string[] => [
	page(EVENTS_TYPE, sayLines(say, eventsPage)),
	page(ALERTS_TYPE, sayLines(say, alertsPage)),
];
