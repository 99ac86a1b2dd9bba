import { listenerWords } from '../packages/node-red/build/listeners';
import { inEnglish } from '../packages/node-red/build/say';
import { accountWords } from '../packages/node-red/build/words-own';
import type { INodeProperties } from 'n8n-workflow';
import { PartnerExchangeApi } from '../credentials/PartnerExchangeApi.credentials';
import { walletForm } from '../nodes/shared/trigger/wallet-form';
import { operationIds, operationOf } from '@partner-exchange/core/catalogue';

/** The label of each input of an n8n form by its name, those in collections too. */
const labelsIn = (form: readonly INodeProperties[]): Record<string, string> =>
	Object.fromEntries(
		form.flatMap((each) => [
			[each.name, each.displayName] as const,
			...((each.options ?? []) as (INodeProperties & { values?: INodeProperties[] })[])
				.filter(({ type, values }) => type !== undefined || values !== undefined)
				.flatMap((inner) => Object.entries(labelsIn(inner.values ?? [inner]))),
		]),
	);

/** n8n writes labels in title case and Node-RED does not; the words are the same. */
const plain = (label: string): string => label.toLowerCase();

describe('both hosts call one thing by one name', () => {
	it.each(['baseUrl', 'wsUrl', 'apiKey', 'controlToken', 'testHosts', 'names'] as const)('the account: %s', (name) => {
		expect(plain(labelsIn(new PartnerExchangeApi().properties)[name]!)).toBe(plain(accountWords[name]));
	});

	it.each(['currency', 'threshold', 'hysteresis', 'initial'] as const)('what is told of a balance: %s', (name) => {
		expect(plain(labelsIn(walletForm())[name]!)).toBe(plain(listenerWords(inEnglish)[name]!.label));
	});
});

it.each(operationIds)('n8n offers %s as a verb and its object, in at most six words', (id) => {
	const { action } = operationOf(id);
	expect(action).toMatch(/^[A-Z][a-z]+ /);
	expect(action).not.toMatch(/ of the (wallet|sandbox|stream)$/);
	expect(action.split(' ').length).toBeLessThanOrEqual(6);
});
