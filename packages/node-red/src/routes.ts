/** What the editor asks the runtime: lists to pick from, and whether an account works. */
import {
	choices,
	ExchangeError,
	isExchangeError,
	operationIds,
	operationOf,
	pickers,
	type PickerId,
} from '@partner-exchange/core';
import type { Request, Response } from 'express';
import type { NodeAPI } from 'node-red';
import { open, type AccountNode, type Opened } from './account';
import { PREFIX } from './types';

const READ = `${PREFIX}account.read`;
/** Whoever may change flows could point an account anywhere anyway; nobody else can make the runtime call an address. */
const WRITE = `${PREFIX}account.write`;
const TIMEOUT_MS = 10_000;
const SEARCH_LENGTH_MAX = 100;
/** What the editor shows instead of a key that is stored. */
const STORED = '__PWRD__';

export function registerRoutes(RED: NodeAPI): void {
	const { httpAdmin, auth } = RED;
	httpAdmin.get('/partner-exchange/accounts/:id/choices/:picker', auth.needsPermission(READ), (request, response) =>
		answer(response, () => listOf(opened(RED, request), String(request.params.picker), request.query.search)),
	);
	httpAdmin.post('/partner-exchange/choices', auth.needsPermission(WRITE), (request, response) =>
		answer(response, () => listOf(unsaved(RED, request), String(bodyOf(request).picker), bodyOf(request).search)),
	);
	httpAdmin.post('/partner-exchange/accounts/:id/test', auth.needsPermission(WRITE), (request, response) =>
		answer(response, () => tryOut(unsaved(RED, request))),
	);
}

async function listOf(account: Opened, picker: string, search: unknown): Promise<unknown> {
	if ('problem' in account) throw account.problem;
	if (!Object.hasOwn(pickers, picker)) throw new ExchangeError('not_found', { what: 'There is no such list' });
	const typed = typeof search === 'string' ? search.slice(0, SEARCH_LENGTH_MAX) : '';
	return await choices(account.client, picker as PickerId, typed, { signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** A keyed read that needs no input: a wrong key and a key without access answer differently. */
async function tryOut(account: Opened): Promise<{ message: string }> {
	if ('problem' in account) throw account.problem;
	const read = operationIds.find(
		(id) => operationOf(id).access === 'walletRead' && Object.keys(operationOf(id).input).length === 0,
	)!;
	try {
		await account.client.call(read, {}, { signal: AbortSignal.timeout(TIMEOUT_MS) });
	} catch (error) {
		if (!isExchangeError(error, 'forbidden')) throw error;
		return { message: 'The key is valid, but it may not read the wallet' };
	}
	return { message: `Connected: the key opens the ${account.account.environment} environment` };
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

/** Settings as they stand in the editor. A stored key only goes where it was deployed to go. */
function unsaved(RED: NodeAPI, request: Request): Opened {
	const settings = Object.fromEntries(
		Object.entries(bodyOf(request)).map(([name, value]) => [name, resolved(RED, value)]),
	);
	const deployed = RED.nodes.getNode(String(request.params.id ?? '')) as AccountNode | null;
	if (settings.apiKey !== STORED) return open(settings, text(settings.apiKey));
	const account = open(settings, deployed?.credentials?.apiKey);
	if ('problem' in account || sameAddresses(account, deployed?.opened)) return account;
	return {
		problem: new ExchangeError('invalid_account', {
			field: 'apiKey',
			what: 'The stored key belongs to other addresses',
			advice: 'Enter the key of these addresses, or deploy first',
		}),
	};
}

const sameAddresses = (account: Opened, deployed: Opened | undefined): boolean =>
	'account' in account &&
	deployed !== undefined &&
	'account' in deployed &&
	account.account.baseUrl === deployed.account.baseUrl &&
	account.account.wsUrl === deployed.account.wsUrl;

/** A variable that is not set stays as it is written, and is refused by its name. */
function resolved(RED: NodeAPI, value: unknown): unknown {
	if (typeof value !== 'string' || !/^\$\{[^}]+\}$/.test(value)) return value;
	const found = RED.util.evaluateNodeProperty(value, 'env', {} as never, {}) as unknown;
	return found === '' ? value : String(found);
}

const bodyOf = ({ body }: Request): Record<string, unknown> =>
	typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

async function answer(response: Response, ask: () => Promise<unknown>): Promise<void> {
	try {
		response.json(await ask());
	} catch (error) {
		const known = isExchangeError(error) ? error : undefined;
		// 404 tells the editor that the account is not deployed; everything else is for people to read.
		response.status(known?.code === 'not_found' && known.status === undefined ? 404 : 400).json({
			code: known?.code ?? 'malformed_response',
			message: known?.message ?? 'The list cannot be read now: type the value',
		});
	}
}
