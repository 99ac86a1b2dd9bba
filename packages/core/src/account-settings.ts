import type { Account } from './account';
import { addressesOf } from './addresses';
import { ExchangeError } from './errors';
import { readSwitch } from './input/switch';
import { isEmpty } from './input/value';

/** The labels of the two settings that are more than text, as the form of the host shows them. */
type Labels = Readonly<Record<'allowDifferentHosts' | 'names', string>>;

/**
 * The account that a host stored: its settings as the form leaves them, its secrets among them. The client checks the
 * addresses and the key on use.
 * @throws ExchangeError `invalid_account` for a switch or names that cannot be read.
 */
export function accountOf(settings: Readonly<Record<string, unknown>>, labels: Labels): Account {
	const switched = {
		field: 'allowDifferentHosts',
		label: labels.allowDifferentHosts,
		code: 'invalid_account',
	} as const;
	const environment = textIn(settings.environment) as Account['environment'];
	return {
		environment,
		...addressesOf({ environment, baseUrl: textIn(settings.baseUrl), wsUrl: textIn(settings.wsUrl) }),
		apiKey: textIn(settings.apiKey),
		controlToken: textIn(settings.controlToken),
		allowDifferentHosts: readSwitch(settings.allowDifferentHosts ?? false, switched),
		testHosts: textIn(settings.testHosts),
		names: namesIn(settings.names, labels.names),
	};
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Wire names that a person set for inputs whose names the interface does not show. */
function namesIn(value: unknown, label: string): Account['names'] {
	if (isEmpty(value)) return {};
	const names = typeof value === 'string' ? parsed(value) : value;
	const isObject = typeof names === 'object' && names !== null && !Array.isArray(names);
	if (isObject && Object.values(names).every((name) => typeof name === 'string')) return names as Account['names'];
	throw new ExchangeError('invalid_account', {
		field: 'names',
		what: `${label} is not a JSON object of texts`,
		advice: 'Write it as { "order.list.limit": "page_size" }, or leave it empty; nothing was sent',
	});
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
