import {
	addressLabels,
	environments,
	operationIds,
	operationOf,
	type Environment,
	type Field,
	resume,
} from './catalogue';
import { addressesOf } from './addresses';
import { ExchangeError } from './errors';
import { assertGiven, flag, plainObject, readElsewhere, aText, type Kind } from './given';
import { hostsIn, isInner, isLoopback, refusalOfHost } from './host-names';
import { unsetVariable, isEmpty } from './input/value';
import { readSwitch } from './input/switch';
import { jsonIn } from './wire/json';

/**
 * One environment of the service, with its addresses and the API key. (Interface, parts 1 and 9.)
 *
 * @example
 * const account: Account = { environment: 'sandbox', ...environments.sandbox, apiKey: 'sandbox-key' };
 */
export interface Account {
	/** `sandbox` is this machine or a test host, `staging` the provider's test environment, `production` real money. */
	environment: Environment;
	/** Address of the REST routes, ending in the version: `https://host/v1`. */
	baseUrl: string;
	/** Address of the stream: `wss://host/v1/ws`. */
	wsUrl: string;
	/** Empty for an account that uses only public routes and topics. */
	apiKey: string;
	/** Authorizes control requests to a sandbox that was started with a token, as one on another machine has to be. */
	controlToken?: string;
	/** Set when REST and stream are intentionally on different hosts. */
	allowDifferentHosts?: boolean;
	/**
	 * Comma-separated hosts confirmed as test environments. Every other host except this machine counts as production.
	 */
	testHosts?: string;
	/** Wire names for inputs whose name the interface does not show: `{ "order.list.limit": "page_size" }`. */
	names?: Readonly<Record<string, string>>;
}

/**
 * An account as a script writes it. One address is enough, and an account of the environment sandbox that names none
 * means the sandbox on this machine.
 *
 * @example
 * const account: AccountInput = { environment: 'sandbox', apiKey: 'sandbox-key' };
 */
export type AccountInput = Omit<Account, 'baseUrl' | 'wsUrl'> & {
	[Address in 'baseUrl' | 'wsUrl']?: Account[Address] | undefined;
};

/** A longer key or address is refused, because a pasted page would become a header. */
const KEY_LENGTH_MAX = 512;
const ADDRESS_LENGTH_MAX = 500;

const accountKinds: Readonly<Record<keyof AccountInput, Kind>> = {
	environment: readElsewhere,
	baseUrl: aText,
	wsUrl: aText,
	apiKey: aText,
	controlToken: aText,
	allowDifferentHosts: flag,
	testHosts: aText,
	names: plainObject,
};

/** Checks an account before anything is sent, and returns it with normalized addresses. */
export function acceptAccount(given: AccountInput): Account {
	assertGiven(given, accountKinds, { of: 'An account', code: 'invalid_account', needs: ['environment', 'apiKey'] });
	const account: Account = { ...given, ...addressesOf(given) };
	refuseUnset('environment', 'Environment', String(account.environment).trim());
	if (!Object.hasOwn(environments, account.environment)) {
		throw invalid('environment', 'Environment must be sandbox, staging or production');
	}
	const apiKey = acceptKey(account.apiKey);
	const controlToken = acceptKey(account.controlToken, 'controlToken', 'Control Token');
	const base = acceptUrl(restAddress, account);
	const stream = acceptUrl(streamAddress, account);
	if (base.host !== stream.host && !account.allowDifferentHosts) {
		throw invalid(
			'wsUrl',
			`${addressLabels.baseUrl} and ${addressLabels.wsUrl} name different hosts (${base.host} and ${stream.host})`,
			{
				advice: 'Correct one of them, or say that they are meant to be on different hosts (Allow Different Hosts)',
			},
		);
	}
	acceptTestHosts(account, [base, stream]);
	acceptNames(account.names ?? {});
	return keptFromPrint({
		...account,
		apiKey,
		...(controlToken === '' ? {} : { controlToken }),
		baseUrl: plainUrl(base),
		wsUrl: plainUrl(stream),
	});
}

/** A client has its account in it, and a log prints whatever it is handed, by Node's `inspect` or as JSON. */
function keptFromPrint(account: Account): Account {
	const { apiKey: _key, controlToken: _token, ...shown } = account;
	const print = { value: () => shown };
	return Object.defineProperties(account, { toJSON: print, [Symbol.for('nodejs.util.inspect.custom')]: print });
}

function acceptKey(text: string | undefined, field: 'apiKey' | 'controlToken' = 'apiKey', label = 'API Key'): string {
	const key = (text ?? '').trim();
	refuseUnset(field, label, key);
	if (key.length > KEY_LENGTH_MAX) throw invalid(field, `${label} is longer than ${KEY_LENGTH_MAX} characters`);
	if (!/^[\x21-\x7e]*$/.test(key)) {
		throw invalid(field, `${label} holds spaces, line breaks or other characters a key never has`, {
			advice: 'Copy it again',
		});
	}
	return key;
}

function refuseUnset(field: string, label: string, text: string): void {
	const unset = unsetVariable(text, label);
	if (unset !== undefined) throw invalid(field, unset, { advice: 'Set it where the host is started' });
}

/** A confirmed host that is in neither address is left over from an earlier configuration, so it is refused. */
function acceptTestHosts({ testHosts, environment }: Account, addresses: readonly URL[]): void {
	refuseUnset('testHosts', 'Test Hosts', (testHosts ?? '').trim());
	const confirmed = hostsIn(testHosts);
	if (confirmed.length > 0 && environment === 'production')
		throw invalid('testHosts', 'Test Hosts are set and the environment is production', {
			advice: 'Empty Test Hosts, or choose the environment these hosts belong to',
		});
	const other = confirmed.find((host) => !addresses.some((url) => url.host === host || url.hostname === host));
	if (other === undefined) return;
	throw invalid('testHosts', `Test Hosts name ${other.slice(0, 100)}, which is in neither address`, {
		advice: `Enter ${[...new Set(addresses.map(({ host }) => host))].join(', ')} if no real money is there, or leave it empty`,
	});
}

/** Only assumed names may be mapped. A misspelt one would have no effect, so it is refused. */
function acceptNames(names: Readonly<Record<string, string>>): void {
	for (const [input, wire] of Object.entries(names)) {
		if (input === resume.input && wire === '') continue;
		if (input !== resume.input && !mayBeRenamed(input)) {
			throw invalid('names', `There is no input ${input.slice(0, 64)} whose name may be changed`, {
				advice: 'Name an input that is marked as assumed, such as order.list.limit',
			});
		}
		if (!/^[\w.-]{1,64}$/.test(wire)) {
			throw invalid('names', `The name for ${input} must be letters, digits, dots, dashes and underscores`);
		}
	}
}

function mayBeRenamed(input: string): boolean {
	return operationIds.some((id) =>
		Object.entries<Field>(operationOf(id).input).some(
			([name, field]) => input === `${id}.${name}` && field.assumed !== undefined && field.kind !== 'json',
		),
	);
}

/** The requirements of an address. */
interface Address {
	field: 'baseUrl' | 'wsUrl';
	label: string;
	secure: string;
	plain: string;
	ending: RegExp;
	endingShown: string;
}

const restAddress: Address = {
	field: 'baseUrl',
	label: addressLabels.baseUrl,
	secure: 'https:',
	plain: 'http:',
	ending: /\/v\d+$/,
	endingShown: '/v1',
};
const streamAddress: Address = {
	field: 'wsUrl',
	label: addressLabels.wsUrl,
	secure: 'wss:',
	plain: 'ws:',
	ending: /\/v\d+\/ws$/,
	endingShown: '/v1/ws',
};

function acceptUrl({ field, label, secure, plain, ending, endingShown }: Address, account: Account): URL {
	const text = acceptText(field, label, account[field]);
	if (account.environment === 'staging' && text === environments.sandbox[field]) {
		throw invalid(field, `${label} is still the one of the sandbox on this machine`, {
			advice: 'Enter the address the provider gave for staging',
		});
	}
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || text.includes('\\'))
		throw invalid(field, `${label} is not an address`, {
			advice: `Enter an address such as ${secure}//host${endingShown}`,
		});
	if (url.username || url.password || url.search || url.hash) {
		throw invalid(field, `${label} must not carry a user, a query or a fragment`, {
			advice: 'The key has its own field',
		});
	}
	if (url.protocol !== secure && !(url.protocol === plain && mayBePlain(url.hostname, account))) {
		throw invalid(field, `${label} must start with ${secure}//`, {
			advice: `Plain ${plain}// is accepted for this machine (127.0.0.1), and in environment sandbox for private addresses and names such as sandbox`,
		});
	}
	if (isLoopback(url.hostname) && account.environment === 'production') {
		throw invalid(field, `${label} points at this machine, which is never production`, {
			advice: 'Choose the sandbox environment',
		});
	}
	const refusal = refusalOfHost(url, account.environment);
	if (refusal) throw invalid(field, `${label} ${refusal.what}`, { advice: refusal.advice });
	url.pathname = withoutSlashes(url.pathname);
	if (!ending.test(url.pathname)) {
		throw invalid(field, `${label} must end in ${endingShown}`, {
			advice: `Add the version: ${url.protocol}//${url.host}${endingShown}`,
		});
	}
	return url;
}

/**
 * Whether the address may be without TLS: sandbox keys are worth nothing, and a sandbox in a nearby container has no
 * certificate.
 */
const mayBePlain = (hostname: string, { environment }: Account): boolean =>
	isLoopback(hostname) || (environment === 'sandbox' && isInner(hostname));

function acceptText(field: string, label: string, value: string | undefined): string {
	const text = (value ?? '').trim();
	if (text === '')
		throw invalid(field, `${label} is empty`, { advice: 'Enter the address the provider gave for this environment' });
	refuseUnset(field, label, text);
	if (text.length > ADDRESS_LENGTH_MAX)
		throw invalid(field, `${label} is longer than ${ADDRESS_LENGTH_MAX} characters`);
	return text;
}

function withoutSlashes(path: string): string {
	let end = path.length;
	while (path[end - 1] === '/') end -= 1;
	return path.slice(0, end);
}

const plainUrl = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`;

function invalid(field: string, what: string, more: { advice?: string } = {}): ExchangeError {
	return new ExchangeError('invalid_account', { what, field, ...more });
}

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
		names: wireNames(settings.names, labels.names),
	};
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Wire names that a person set for inputs whose names the interface does not show. */
function wireNames(value: unknown, label: string): Account['names'] {
	if (isEmpty(value)) return {};
	const names = typeof value === 'string' ? jsonIn(value) : value;
	const isObject = typeof names === 'object' && names !== null && !Array.isArray(names);
	if (isObject && Object.values(names).every((name) => typeof name === 'string')) return names as Account['names'];
	throw new ExchangeError('invalid_account', {
		field: 'names',
		what: `${label} is not a JSON object of texts`,
		advice: 'Write it as { "order.list.limit": "page_size" }, or leave it empty; nothing was sent',
	});
}
