/** HTTP routes of the editor: autocomplete lists, the estimate of an order, and the test of an account. */
import { ExchangeError, isExchangeError } from '@partner-exchange/core';
import { checkAccess, checkStream, pickerChoices, inBackground } from '@partner-exchange/core/adapters';
import { operationIds, operationOf, pickers, type PickerId } from '@partner-exchange/core/catalogue';
import type { Request, Response } from 'express';
import type { NodeAPI } from 'node-red';
import { type AccountNode, type Opened, open } from './account';
import { PREFIX } from '../types';

const READ = `${PREFIX}account.read`;
/**
 * Routes that call an address given in the request need write permission: a user with it could deploy that address
 * anyway.
 */
const WRITE = `${PREFIX}account.write`;
/** A list or a test in the editor may take this long. The editor then says that it took too long. */
const TIMEOUT_MS = 10_000;
/** A longer search text is cut, because it may be a pasted page. */
const SEARCH_LENGTH_MAX = 100;
const ADVICE =
	'Check the Stream Address and that a proxy in between lets WebSockets through: until then no order can be cancelled or replaced, and no event arrives';

export function registerRoutes(RED: NodeAPI): void {
	const { httpAdmin, auth } = RED;
	httpAdmin.get('/partner-exchange/accounts/:id/choices/:picker', auth.needsPermission(READ), (request, response) =>
		answer(request, response, () => listOf(opened(RED, request), String(request.params.picker), request.query.search)),
	);
	httpAdmin.get('/partner-exchange/accounts/:id/estimate', auth.needsPermission(READ), (request, response) =>
		answer(request, response, () => estimateOf(opened(RED, request), request.query)),
	);
	httpAdmin.post('/partner-exchange/choices', auth.needsPermission(WRITE), (request, response) =>
		answer(request, response, () =>
			listOf(draftOf(RED, request), String(bodyOf(request).picker), bodyOf(request).search),
		),
	);
	httpAdmin.get('/partner-exchange/accounts/:id/stream', auth.needsPermission(READ), (request, response) =>
		answer(request, response, () => statusOf(opened(RED, request))),
	);
	httpAdmin.post('/partner-exchange/accounts/:id/test', auth.needsPermission(WRITE), (request, response) =>
		answer(request, response, () => tryOut(draftOf(RED, request))),
	);
}

async function listOf(account: Opened, picker: string, search: unknown): Promise<unknown> {
	if ('problem' in account) throw account.problem;
	if (!Object.hasOwn(pickers, picker)) throw new ExchangeError('not_found', { what: 'There is no such list' });
	const typed = typeof search === 'string' ? search.slice(0, SEARCH_LENGTH_MAX) : '';
	return await pickerChoices(account.client, picker as PickerId, typed, { signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/**
 * What an order would come to at the prices of the moment; null where nothing tells. A person who is still typing makes no error
 * in the page.
 */
async function estimateOf(account: Opened, { pair_id, side, quantity }: Request['query']): Promise<unknown> {
	if ('problem' in account) return null;
	const id = operationIds.find((each) => {
		const { run } = operationOf(each);
		return run.via === 'composed' && run.as === 'estimate';
	})!;
	const order = { pair_id, side, quantity, order_type: 'market' };
	return await account.client.call(id, order, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null);
}

/** The status of the account's stream in this process; sends no request. */
async function statusOf(account: Opened): Promise<unknown> {
	if ('problem' in account) throw account.problem;
	return await account.client.call(
		operationIds.find((id) => operationOf(id).run.via === 'process')!,
		{},
	);
}

/** Tests an account, so that a user can distinguish a wrong key, missing access and a stream that does not open. */
async function tryOut(account: Opened): Promise<{ outcome: 'connected' | 'noWallet'; environment: string }> {
	if ('problem' in account) throw account.problem;
	const outcome = await checkAccess(account.client, { signal: AbortSignal.timeout(TIMEOUT_MS) });
	const shared = account.share();
	try {
		await checkStream(shared.stream, AbortSignal.timeout(TIMEOUT_MS), ADVICE);
	} finally {
		shared.release();
	}
	return { outcome, environment: account.account.environment };
}

function opened(RED: NodeAPI, { params }: Request): Opened {
	const node = RED.nodes.getNode(String(params.id)) as AccountNode | null;
	if (node?.opened) return node.opened;
	return {
		problem: new ExchangeError('not_found', {
			what: 'This account is not deployed yet',
			advice: 'Deploy it first, or type the value yourself',
		}),
	};
}

const draftOf = (RED: NodeAPI, request: Request): Opened =>
	openDraft(RED, String(request.params.id ?? bodyOf(request).id ?? ''), bodyOf(request));

const bodyOf = ({ body }: Request): Record<string, unknown> =>
	typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};

const answer = (request: Request, response: Response, ask: () => Promise<unknown>): void =>
	inBackground(reply(request, response, ask));

async function reply(request: Request, response: Response, ask: () => Promise<unknown>): Promise<void> {
	try {
		assertFromEditor(request);
		response.json(await ask());
	} catch (error) {
		const problem = isExchangeError(error) ? error : undefined;
		// 404 tells the editor that the account is not deployed; other statuses are only shown to the user.
		const own =
			problem?.status === undefined
				? ({ not_found: 404, forbidden: 403 } as Record<string, number>)[problem?.code ?? '']
				: undefined;
		response.status(own ?? 400).json({
			code: problem?.code ?? 'malformed_response',
			message: problem?.message ?? 'The list cannot be read now: type the value',
		});
	}
}

// Opens an account from the editor's form before it is deployed.

/** Placeholder the editor shows for a stored key. */
const STORED = '__PWRD__';

type Settings = Readonly<Record<string, unknown>>;

/**
 * Opens the account in a form. A forged form could send the runtime's secrets to any host, so a stored key or an
 * environment variable is used only with the addresses it was deployed with.
 */
function openDraft(RED: NodeAPI, id: string, form: Settings): Opened {
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

// Checks requests to the editor API. Without user accounts, any web page could otherwise send such a request.

/**
 * Refuses cross-site requests. Settings are accepted only as JSON, which an HTML form cannot send and a script of
 * another site cannot send without a CORS preflight. Programs other than browsers send none of these headers.
 */
function assertFromEditor({ method, headers }: Request): void {
	if (!isSameOrigin(headers)) throw refusal('The request comes from another page than the editor');
	if (method !== 'GET' && !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
		throw refusal('Settings are accepted as JSON only');
}

function isSameOrigin(headers: Request['headers']): boolean {
	const site = headers['sec-fetch-site'];
	// `Sec-Fetch-Site` is checked first, because a proxy may have rewritten the host.
	if (site !== undefined) return site === 'same-origin' || site === 'none';
	if (headers.origin === undefined) return true;
	const hosts = [headers.host, headers['x-forwarded-host']];
	return URL.canParse(headers.origin) && hosts.includes(new URL(headers.origin).host);
}

const refusal = (what: string): ExchangeError =>
	new ExchangeError('forbidden', { what, advice: 'Use the form of the account in the editor' });
