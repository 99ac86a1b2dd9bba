/** HTTP routes of the editor: autocomplete lists, the estimate of an order, and the test of an account. */
import { ExchangeError, isExchangeError } from '@partner-exchange/core';
import { checkAccess, checkStream, choices, inBackground } from '@partner-exchange/core/adapters';
import { operationIds, operationOf, pickers, type PickerId } from '@partner-exchange/core/catalogue';
import type { Request, Response } from 'express';
import type { NodeAPI } from 'node-red';
import type { AccountNode, Opened } from './account';
import { openDraft } from './draft';
import { assertFromEditor } from './editor-request';

import { PREFIX } from '../types';

const READ = `${PREFIX}account.read`;
/**
 * Routes that call an address given in the request need write permission: a user with it could deploy that address
 * anyway.
 */
const WRITE = `${PREFIX}account.write`;
const TIMEOUT_MS = 10_000;
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
	return await choices(account.client, picker as PickerId, typed, { signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** What an order would come to at the prices of the moment. */
async function estimateOf(account: Opened, { pair_id, side, quantity }: Request['query']): Promise<unknown> {
	if ('problem' in account) throw account.problem;
	const id = operationIds.find((each) => {
		const { run } = operationOf(each);
		return run.via === 'composed' && run.as === 'estimate';
	})!;
	const order = { pair_id, side, quantity, order_type: 'market' };
	return await account.client.call(id, order, { signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** The status of the account's stream in this process; sends no request. */
async function statusOf(account: Opened): Promise<unknown> {
	if ('problem' in account) throw account.problem;
	return await account.client.call(
		operationIds.find((id) => operationOf(id).run.via === 'process')!,
		{},
	);
}

/** Tests an account, so that a wrong key, missing access and a stream that does not open can be told apart. */
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
