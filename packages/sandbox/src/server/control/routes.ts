import { OFFSET_MAX } from '../../api/call';
import { candlesOf } from '../../api/market-routes';
import { audit } from '../../engine/audit';
import { notFound } from '../../engine/refusal';
import { scenarios, type ScenarioName } from '../../engine/scenarios';
import { VERSION } from '../../version';
import type { SandboxContext } from '../context';
import { faultSchema, faultTexts, type FaultRequest } from '../faults';
import { wholeRequest } from '../request-log';
import type { Schema } from '../schema';
import { exchangeAsyncApi } from '../../description/asyncapi';
import { exchangeOpenApi } from '../../description/openapi';
import { emailSchema, grantSchema, settingsSchema } from './grants';
import { accountOf, act, object, text, type ControlParts, type ControlRoutes, type ControlRoute } from './route';
import { closedOrders, describe, describeScenarios, advanceRecord } from './state';
import { randomUUID } from 'node:crypto';
import type { CommandAction } from '@partner-exchange/core/catalogue';
import { simulatedMovement } from '../../api/simulation-routes';
import { fingerprintOf } from '../../engine/idempotency';
import type { Fields } from '../../engine/order-request';
import type { KeyGrant } from '../../engine/seed';
import { timestamp } from '../../engine/world';

const scenarioName: Schema = { type: 'string', enum: Object.keys(scenarios) };
export function createControlRoutes(context: SandboxContext, parts: ControlParts): ControlRoutes {
	const routes: ControlRoutes = {
		...readingRoutes(context, parts, () => routes),
		...faultRoutes(context),
		...marketRoutes(context, parts),
		...accountRoutes(context),
	};
	return routes;
}

function readingRoutes(context: SandboxContext, parts: ControlParts, routes: () => ControlRoutes): ControlRoutes {
	return {
		'GET health': {
			summary: 'Whether the sandbox answers; for health checks, without a token',
			open: true,
			run: () => ({ status: 'ok', version: VERSION }),
		},
		'GET routes': {
			summary: 'The routes there are, and the schemas of what each takes',
			run: () => ({
				routes: Object.entries(routes()).map(([name, { summary, query, body }]) => ({ name, summary, query, body })),
			}),
		},
		'GET exchange-openapi.json': {
			summary: 'The routes of the exchange, as OpenAPI',
			run: () => exchangeOpenApi(VERSION),
		},
		'GET exchange-asyncapi.json': {
			summary: 'The stream of the exchange, as AsyncAPI',
			run: () => exchangeAsyncApi(VERSION),
		},
		'GET state': {
			summary: 'Accounts, keys, balances, orders, book, clients, faults, scenarios, settings and clock',
			run() {
				context.exchange.catchUp();
				return { ...describe(context, parts.addresses()), clients: parts.stream.clients() };
			},
		},
		...recordRoutes(context),
		'GET audit': {
			summary: 'What does not add up, if anything: money, reservations, book, orders',
			run: () => ({ faults: audit(context.exchange.engine.state) }),
		},
		'GET candles': {
			summary: 'As the candles route, without a key and without faults',
			query: { pair_id: text('Pair'), interval: text('Interval'), before: text('Time'), limit: { type: 'integer' } },
			run: (_body, query) => candlesOf(context.exchange.engine, query),
		},
	};
}

function recordRoutes(context: SandboxContext): ControlRoutes {
	return {
		'GET requests': {
			summary: 'What arrived over HTTP with its answer and the fault that struck, without keys; with id one of them',
			query: { id: { type: 'integer', description: 'Only this request' } },
			run: (_body, query) => ({ requests: requestsOf(context, query.get('id')) }),
		},
		'GET orders': {
			summary: 'Finished orders of an account, newest first',
			query: {
				email: emailSchema,
				offset: { type: 'integer', maximum: OFFSET_MAX },
				limit: { type: 'integer', minimum: 1, maximum: 200, description: '50 when absent' },
			},
			run: (_body, query) =>
				closedOrders(context.exchange.engine, accountOf(context, query.get('email') ?? undefined), query),
		},
	};
}

function requestsOf({ requests }: SandboxContext, id: string | null): object[] {
	const entries = id === null ? requests.entries : requests.entries.filter((entry) => String(entry.id) === id);
	if (id !== null && entries.length === 0) throw notFound('unknown_request', 'There is no such request any more.');
	return entries.map(wholeRequest);
}

function faultRoutes(context: SandboxContext): ControlRoutes {
	const { faults } = context;
	return {
		'GET faults': {
			summary: 'The kinds of faults, the armed ones and those that struck',
			run: () => ({ kinds: faultTexts, armed: faults.armed, fired: faults.fired }),
		},
		'POST faults': {
			summary: 'Arms a fault',
			body: faultSchema,
			run: (body) => faults.arm(body as unknown as FaultRequest),
		},
		'DELETE faults': {
			summary: 'Disarms one fault, or all',
			body: object({ id: { type: 'integer', description: 'Of the fault; all when absent' } }),
			run: ({ id }) => faults.disarm(id as number | undefined),
		},
		'GET scenarios': {
			summary: 'The scenarios there are',
			run: () => ({ scenarios: describeScenarios() }),
		},
		'POST scenarios': {
			summary: 'Starts a scenario',
			body: object({ name: scenarioName, email: { ...emailSchema, description: 'The trader when absent' } }, ['name']),
			run: ({ name, email }) =>
				act(context, { kind: 'scenario', name: name as ScenarioName, accountId: accountOf(context, email).id }),
		},
		'DELETE scenarios': {
			summary: 'Stops a scenario',
			body: object({ name: scenarioName }, ['name']),
			run: ({ name }) => act(context, { kind: 'scenario.stop', name: name as ScenarioName }),
		},
	};
}

const orderFields = {
	email: { ...emailSchema, description: 'The trader when absent' },
	pair_id: text('Pair'),
	side: { type: 'string', enum: ['buy', 'sell'] },
	order_type: { type: 'string', enum: ['limit', 'market'] },
	quantity: text('Decimal'),
	price: text('Decimal, for limit orders'),
	time_in_force: { type: 'string', enum: ['GTC', 'IOC', 'FOK', 'POST_ONLY'] },
	client_order_id: text('Of the caller'),
} as const satisfies Record<string, Schema>;

/** Routes by which a user of the console trades by hand. Faults do not apply to them. */
function accountRoutes(context: SandboxContext): ControlRoutes {
	const order = (kind: CommandAction, { email, ...fields }: Fields) => {
		const key = `console-${randomUUID()}`;
		const accountId = accountOf(context, email).id;
		return act(context, { kind, accountId, fields, key, fingerprint: fingerprintOf(kind, fields) });
	};
	return {
		'POST orders': {
			summary: 'Places an order for an account',
			body: object(orderFields, ['pair_id', 'side', 'order_type', 'quantity']),
			run: (body) => order('order_create', body),
		},
		'DELETE orders': {
			summary: 'Cancels an open order of an account',
			body: object({ email: orderFields.email, pair_id: text('Pair'), order_id: text('Order') }, [
				'pair_id',
				'order_id',
			]),
			run: (body) => order('order_cancel', body),
		},
		'POST transactions': transactionRoute(context),
	};
}

const transactionRoute = (context: SandboxContext): ControlRoute => ({
	summary: 'Deposits to an account, or withdraws from it',
	body: object(
		{
			email: orderFields.email,
			type: { type: 'string', enum: ['deposit', 'withdrawal'] },
			currency: { type: 'string', enum: ['NGN', 'USD'] },
			amount: text('Decimal'),
		},
		['type', 'currency', 'amount'],
	),
	run: (body) =>
		act(context, {
			kind: 'transaction',
			accountId: accountOf(context, body.email).id,
			movement: simulatedMovement(body),
		}),
});

const ADVANCE_MAX_MS = 366 * 86_400_000;

function marketRoutes(context: SandboxContext, { stream }: ControlParts): ControlRoutes {
	return {
		'POST reset': {
			summary: 'Puts a new exchange in the place of this one, with ids and an epoch of its own',
			run: () => context.reset(),
		},
		'POST clock': {
			summary: 'Moves a virtual clock; the state tells the progress',
			body: object(
				{
					advance_ms: { type: 'number', maximum: ADVANCE_MAX_MS, description: 'How far' },
					wait: { type: 'boolean', description: 'false answers at once; otherwise when the time is reached' },
				},
				['advance_ms'],
			),
			async run({ advance_ms: durationMs, wait }) {
				const done = context.clock.advanceInSlices(durationMs as number, stream.drained);
				if (wait !== false) await done;
				else done.catch((error: Error) => context.log?.(`The clock stopped on its way: ${error.message}`));
				return { now: timestamp(context.clock.now()), clock_advance: advanceRecord(context.clock) };
			},
		},
		'POST settings': {
			summary: 'Changes delays and rules',
			body: settingsSchema,
			run: (body) => act(context, { kind: 'settings', settings: body }),
		},
		'POST markets': {
			summary: 'Halts a market, or lets it trade again',
			body: object({ pair_id: text('Pair'), trading: { type: 'boolean' } }, ['pair_id', 'trading']),
			run({ pair_id: pairId, trading }) {
				act(context, { kind: 'market', pairId: pairId as string, trading: trading as boolean });
				return { pair_id: pairId, trading };
			},
		},
		'POST keys': {
			summary: 'Issues a key, or changes one',
			body: grantSchema,
			run: (body) => act(context, { kind: 'key', grant: body as unknown as KeyGrant }),
		},
	};
}
