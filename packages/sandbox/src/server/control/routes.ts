import { OFFSET_MAX } from '../../api/call';
import { candlesOf } from '../../api/market-routes';
import { audit } from '../../engine/audit';
import { notFound } from '../../engine/refusal';
import { scenarios, type ScenarioName } from '../../engine/scenarios';
import { VERSION } from '../../version';
import type { SandboxContext } from '../context';
import { faultKinds, faultSchema, type FaultRequest } from '../faults';
import { wholeRequest } from '../request-log';
import type { Schema } from '../schema';
import { exchangeAsyncApi } from '../../description/asyncapi';
import { exchangeOpenApi } from '../../description/openapi';
import { accountRoutes } from './account-routes';
import { emailSchema } from './grants';
import { marketRoutes } from './market-routes';
import { openApiDocument } from './openapi';
import { accountOf, act, object, text, type ControlParts, type ControlRoutes } from './route';
import { closedOrders, describe, describeScenarios, latestFills } from './state';

const scenarioName: Schema = { type: 'string', enum: Object.keys(scenarios) };
export function createControlRoutes(context: SandboxContext, parts: ControlParts): ControlRoutes {
	const routes: ControlRoutes = {
		...readingRoutes(context, parts, () => routes),
		...faultRoutes(context, parts),
		...marketRoutes(context, parts),
		...accountRoutes(context),
	};
	return routes;
}

function readingRoutes(context: SandboxContext, parts: ControlParts, routes: () => ControlRoutes): ControlRoutes {
	return {
		'GET health': {
			summary: 'Whether the sandbox answers; for health checks, without a token',
			answers: ['status', 'version'],
			open: true,
			run: () => ({ status: 'ok', version: VERSION }),
		},
		'GET openapi.json': {
			summary: 'This document',
			answers: ['openapi', 'info', 'servers', 'paths', 'components', 'security'],
			run: () => openApiDocument(routes(), VERSION),
		},
		'GET exchange-openapi.json': {
			summary: 'The routes of the exchange, as OpenAPI',
			answers: ['openapi', 'info', 'servers', 'security', 'paths', 'components'],
			run: () => exchangeOpenApi(VERSION),
		},
		'GET exchange-asyncapi.json': {
			summary: 'The stream of the exchange, as AsyncAPI',
			answers: ['asyncapi', 'info', 'servers', 'channels', 'operations'],
			run: () => exchangeAsyncApi(VERSION),
		},
		'GET state': {
			summary: 'Accounts, keys, balances, orders, book, clients, faults, scenarios, settings and clock',
			answers: STATE_FIELDS,
			run() {
				context.exchange.catchUp();
				return { ...describe(context, parts.addresses()), clients: parts.stream.clients() };
			},
		},
		...recordRoutes(context),
		'GET audit': {
			summary: 'What does not add up, if anything: money, reservations, book, orders',
			answers: ['faults'],
			run: () => ({ faults: audit(context.exchange.engine.state) }),
		},
		'GET candles': {
			summary: 'As the candles route, without a key and without faults',
			query: { pair_id: text('Pair'), interval: text('Interval'), before: text('Time'), limit: { type: 'integer' } },
			answers: ['pair_id', 'interval', 'candles'],
			run: (_body, query) => candlesOf(context.exchange.engine, query),
		},
	};
}

const pageQuery: Record<string, Schema> = {
	email: emailSchema,
	offset: { type: 'integer', maximum: OFFSET_MAX },
	limit: { type: 'integer', minimum: 1, maximum: 200, description: '50 when absent' },
};

function recordRoutes(context: SandboxContext): ControlRoutes {
	return {
		'GET requests': {
			summary: 'What arrived over HTTP with its answer and the fault that struck, without keys; with id one of them',
			query: { id: { type: 'integer', description: 'Only this request' } },
			answers: ['requests'],
			run: (_body, query) => ({ requests: requestsOf(context, query.get('id')) }),
		},
		'GET orders': {
			summary: 'Finished orders of an account, newest first',
			query: pageQuery,
			answers: ['orders', 'count'],
			run: (_body, query) =>
				closedOrders(context.exchange.engine, accountOf(context, query.get('email') ?? undefined), query),
		},
		'GET fills': {
			summary: 'Fills of an account, newest first',
			query: pageQuery,
			answers: ['fills', 'count'],
			run: (_body, query) =>
				latestFills(context.exchange.engine, accountOf(context, query.get('email') ?? undefined), query),
		},
	};
}

function requestsOf({ requests }: SandboxContext, id: string | null): object[] {
	const entries = id === null ? requests.entries : requests.entries.filter((entry) => String(entry.id) === id);
	if (id !== null && entries.length === 0) throw notFound('unknown_request', 'There is no such request any more.');
	return entries.map(wholeRequest);
}

function faultRoutes(context: SandboxContext, { stream }: ControlParts): ControlRoutes {
	const { faults } = context;
	return {
		'GET faults': {
			summary: 'The kinds of faults, the armed ones and those that struck',
			answers: ['kinds', 'armed', 'fired'],
			run: () => ({ kinds: faultKinds, armed: faults.armed, fired: faults.fired }),
		},
		'POST faults': {
			summary: 'Arms a fault',
			body: faultSchema,
			answers: [...Object.keys(faultSchema.properties), 'id', 'fired'],
			run(body) {
				const fault = faults.arm(body as unknown as FaultRequest);
				stream.strikeStreams();
				return fault;
			},
		},
		'DELETE faults': {
			summary: 'Disarms one fault, or all',
			body: object({ id: { type: 'integer', description: 'Of the fault; all when absent' } }),
			run: ({ id }) => faults.disarm(id as number | undefined),
		},
		'GET scenarios': {
			summary: 'The scenarios there are',
			answers: ['scenarios'],
			run: () => ({ scenarios: describeScenarios() }),
		},
		'POST scenarios': {
			summary: 'Starts a scenario',
			body: object({ name: scenarioName, email: { ...emailSchema, description: 'The trader when absent' } }, ['name']),
			answers: ['scenario'],
			run: ({ name, email }) =>
				act(context, { kind: 'scenario', name: name as ScenarioName, accountId: accountOf(context, email).id }),
		},
		'DELETE scenarios': {
			summary: 'Stops a scenario',
			body: object({ name: scenarioName }, ['name']),
			answers: ['scenario'],
			run: ({ name }) => act(context, { kind: 'scenario.stop', name: name as ScenarioName }),
		},
	};
}

const STATE_FIELDS = [
	...[
		'ready',
		'production',
		'dialect',
		'url',
		'baseUrl',
		'wsUrl',
		'now',
		'clock',
		'clock_advance',
		'epoch',
		'settings',
	],
	...['accounts', 'keys', 'markets', 'faults', 'scenarios', 'running_scenarios', 'house', 'requests'],
	...['recent_requests', 'clients'],
] as const;
