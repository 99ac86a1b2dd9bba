/** Both ways the product sends HTTP: over node:http in plain Node, and over n8n's request helper. */
import { TransportError, type HttpRequest, type SendHttp } from '@partner-exchange/core';
import { nodeHttp } from '@partner-exchange/core/node';
import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { hostHttp } from '../../nodes/shared/host/ports';
import { runNode } from '../support/engine';

let helpers: IExecuteFunctions['helpers'] | undefined;

/** Exposes its helpers, which are n8n's real ones. */
class HelperProbe implements INodeType {
	description: INodeTypeDescription = {
		...{ displayName: 'Probe', name: 'probe', group: [], version: 1, description: '' },
		...{ defaults: { name: 'Probe' }, inputs: ['main'], outputs: ['main'], properties: [] },
	};

	execute(this: IExecuteFunctions) {
		helpers = this.helpers;
		return Promise.resolve([[]]);
	}
}

export async function n8nHelpers(): Promise<IExecuteFunctions['helpers']> {
	if (!helpers) await runNode(HelperProbe);
	return helpers!;
}

export const adapters: [string, () => Promise<SendHttp>][] = [
	['plain Node', () => Promise.resolve(nodeHttp())],
	['n8n', async () => hostHttp({ helpers: await n8nHelpers() })],
];

/** Too long to ever end a call by itself. */
const PATIENT_MS = 60_000;

export const get = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
	...{ method: 'GET', url, headers: { accept: 'application/json' }, timeoutMs: PATIENT_MS },
	...more,
});

/** The error of a call, which is always worded by the adapter. */
export async function failureOf(call: Promise<unknown>): Promise<Pick<TransportError, 'reason' | 'sent'>> {
	const error: unknown = await call.then(
		() => new Error('it was answered'),
		(reason: unknown) => reason,
	);
	if (!(error instanceof TransportError)) throw error;
	return { reason: error.reason, sent: error.sent };
}
