import { listenerWords } from '../packages/node-red/build/listeners';
import { inEnglish } from '../packages/node-red/build/say';
import { accountWords } from '../packages/node-red/build/words-own';
import type { INodeProperties } from 'n8n-workflow';
import { PartnerExchangeApi } from '../credentials/PartnerExchangeApi.credentials';
import { PartnerExchangeAlertTrigger } from '../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { PartnerExchangeTrigger } from '../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { watchForm } from '../nodes/shared/trigger/poll';
import { alertRows, eventsRows } from '../packages/node-red/src/events/fields';
import { listeners, operationIds, operationOf, type ListenerField } from '@partner-exchange/core/catalogue';

/** The label of each input of an n8n form by its name, those in collections too. */
const labelsIn = (form: readonly INodeProperties[]): Record<string, string> =>
	Object.fromEntries(
		form.flatMap((each) => [
			[each.name, each.displayName] as const,
			...((each.options ?? []) as (INodeProperties & { values?: INodeProperties[] })[])
				.filter(({ type, values }) => (type ?? 'hidden') !== 'hidden' || values !== undefined)
				.flatMap((inner) => Object.entries(labelsIn(inner.values ?? [inner]))),
		]),
	);

/** n8n writes labels in title case and Node-RED does not; the words are the same. */
const plain = (label: string): string => label.toLowerCase();

describe('both hosts call one thing by one name', () => {
	it.each(['baseUrl', 'wsUrl', 'apiKey', 'controlToken', 'testHosts', 'names'] as const)('the account: %s', (name) => {
		expect(plain(labelsIn(new PartnerExchangeApi().properties)[name]!)).toBe(plain(accountWords[name]));
	});

	it.each([
		['balance', 'currency', 'currency'],
		['balance', 'threshold', 'threshold'],
		['balance', 'hysteresis', 'hysteresis'],
		['balance', 'initial', 'initial'],
		['rate', 'pair_id', 'pair_id'],
		['rate', 'threshold', 'rate'],
		['rate', 'field', 'rate_field'],
		['rate', 'hysteresis', 'rate_margin'],
	] as const)('what is told of a %s: %s', (event, name, property) => {
		const form = watchForm().filter(({ displayOptions }) => displayOptions?.show?.['event']?.includes(event));
		expect(plain(labelsIn(form)[name]!)).toBe(plain(listenerWords(inEnglish)[property]!.label));
	});
});

it.each(operationIds)('n8n offers %s as a verb and its object, in at most six words', (id) => {
	const { action } = operationOf(id);
	expect(action).toMatch(/^[A-Z][a-z]+ /);
	expect(action).not.toMatch(/ of the (wallet|sandbox|stream)$/);
	expect(action.split(' ').length).toBeLessThanOrEqual(6);
});

describe('both hosts offer the same of a trigger', () => {
	const inNodeRed = new Set<ListenerField>(
		[...Object.values(eventsRows).flat(), ...alertRows].map(({ field }) => field),
	);
	const inN8n = JSON.stringify(
		[PartnerExchangeTrigger, PartnerExchangeAlertTrigger].map((type) => new type().description),
	);
	const fields = Object.entries(listeners).flatMap(([listener, { fields, filters, options }]) =>
		Object.entries<ListenerField>({ ...fields, ...filters, ...options }).map(
			([name, field]) => [`${listener}: ${name}`, field] as const,
		),
	);

	it.each(fields)('what the catalogue says a trigger takes: %s', (name, field) => {
		if (name !== 'transactions: currency') expect(inNodeRed).toContain(field);
		expect(inN8n).toContain(JSON.stringify(field.help).slice(1, -1));
	});
});
