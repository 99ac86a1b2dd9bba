/** Opens an account from the editor's form before it is deployed. */
import { ExchangeError } from '@partner-exchange/core';
import type { NodeAPI } from 'node-red';
import { open, type AccountNode, type Opened } from './account';

/** Placeholder the editor shows for a stored key. */
const STORED = '__PWRD__';

type Settings = Readonly<Record<string, unknown>>;

/**
 * Opens the account in a form. A forged form could send the runtime's secrets to any host, so a stored key or an
 * environment variable is used only with the addresses it was deployed with.
 */
export function openDraft(RED: NodeAPI, id: string, form: Settings): Opened {
	const node = RED.nodes.getNode(id) as AccountNode | null;
	const { settings, unknown } = withStoredVariables(form, storedSettings(RED, id), node?.opened);
	if (unknown !== undefined) return { problem: variable(unknown) };
	const key = text(settings.apiKey);
	if (key !== STORED && !isVariable(key)) return open(settings, { apiKey: key });
	if (!sameAddresses(open(settings, { apiKey: '' }), node?.opened))
		return { problem: key === STORED ? keyGoesElsewhere() : variable('apiKey') };
	return open(settings, { apiKey: key === STORED ? node?.credentials?.apiKey : lookedUp(RED, key) });
}

/**
 * Resolves environment variables to their deployed values, if the deployed account has the same variable in the same
 * property.
 */
function withStoredVariables(
	form: Settings,
	stored: Settings,
	opened: Opened | undefined,
): { settings: Settings; unknown?: string } {
	const deployed: Settings = opened && 'account' in opened ? { ...opened.account } : {};
	const settings: Record<string, unknown> = { ...form };
	for (const [name, value] of Object.entries(form)) {
		if (name === 'apiKey' || !isVariable(value)) continue;
		if (stored[name] !== value || typeof deployed[name] !== 'string') return { settings, unknown: name };
		settings[name] = deployed[name];
	}
	return { settings };
}

/** The deployed properties, with environment variables by name instead of by value. */
function storedSettings(RED: NodeAPI, id: string): Settings {
	let deployed: Settings = {};
	RED.nodes.eachNode((node) => void (node.id === id && (deployed = node as unknown as Settings)));
	return deployed;
}

const sameAddresses = (account: Opened, deployed: Opened | undefined): boolean =>
	'account' in account &&
	deployed !== undefined &&
	'account' in deployed &&
	account.account.baseUrl === deployed.account.baseUrl &&
	account.account.wsUrl === deployed.account.wsUrl;

const isVariable = (value: unknown): value is string => typeof value === 'string' && /^\$\{[^}]+\}$/.test(value.trim());

/** Returns the name of an unset variable unchanged; the account check then refuses it by that name. */
function lookedUp(RED: NodeAPI, name: string): string {
	const value = RED.util.evaluateNodeProperty(name, 'env', {} as never, {}) as unknown;
	return value === '' || value === undefined ? name : String(value);
}

const keyGoesElsewhere = (): ExchangeError =>
	new ExchangeError('invalid_account', {
		field: 'apiKey',
		what: 'The stored key belongs to other addresses',
		advice: 'Enter the key of these addresses, or deploy first',
	});

const variable = (field: string): ExchangeError =>
	new ExchangeError('invalid_account', {
		field,
		what: 'Environment variables are looked up for deployed addresses only',
		advice: 'Deploy the account first, or type the value for this test',
	});

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
