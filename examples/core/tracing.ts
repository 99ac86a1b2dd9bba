/** A span of OpenTelemetry for every attempt of a request, and a line of a log. Neither holds a key, a query or a body. */
import { SpanStatusCode, trace } from '@opentelemetry/api';
import type { SendHttp } from '@partner-exchange/core';
import { nodePorts, openAccount } from '@partner-exchange/core/node';
import { account } from './account';

const ports = nodePorts();
const tracer = trace.getTracer('partner-exchange');

/** Every request of the account passes here. Its headers carry the key, so they stay out. */
const send: SendHttp = (request) =>
	tracer.startActiveSpan(`${request.method} ${new URL(request.url).pathname}`, async (span) => {
		const response = await ports.send(request).catch((error: unknown) => {
			span.setStatus({ code: SpanStatusCode.ERROR }).end();
			throw error;
		});
		span.setAttribute('http.response.status_code', response.status).end();
		console.log(`${request.method} ${new URL(request.url).pathname} answered ${response.status}`);
		return response;
	});

async function main(): Promise<void> {
	const { client, close } = openAccount(account, { ports: { ...ports, send } });
	await client.wallet.balances({});
	await close();
}

void main();
