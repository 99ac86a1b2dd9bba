import { audit } from '../engine/audit';
import { findAccount, TRADER_EMAIL } from '../engine/seed';
import { invalid, notFound } from '../engine/refusal';
import type { Fields } from '../engine/order-request';
import type { ScenarioName } from '../engine/scenarios';
import type { Controls } from './control';
import { describe, describeScenarios } from './describe';
import { candlesOf } from '../api/market-routes';
import { faultKinds, type FaultRequest } from './faults';
import type { SandboxContext } from './context';
import { readGrant, readSettings } from './settings';
import type { StreamServer } from './stream';

/** What the control routes do, one line each. */
export function createControls(
	context: SandboxContext,
	addresses: () => object,
	{ strikeStreams, clients }: Pick<StreamServer, 'strikeStreams' | 'clients'>,
): Controls {
	return {
		'GET state': () => {
			context.exchange.catchUp();
			return { ...describe(context, addresses()), clients: clients() };
		},
		'GET candles': (_body, query) => candlesOf(context.exchange.engine, query),
		'GET requests': () => ({ requests: context.requests }),
		'GET audit': () => ({ faults: audit(context.exchange.engine.state) }),
		'POST reset': () => context.reset(),
		'POST clock': ({ advance_ms: durationMs }) => advance(context, durationMs),
		'GET faults': () => ({ kinds: faultKinds, armed: context.faults.armed, fired: context.faults.fired }),
		'POST faults': (body) => {
			const fault = context.faults.arm(body as unknown as FaultRequest);
			strikeStreams();
			return fault;
		},
		'DELETE faults': ({ id }) => context.faults.disarm(id as number | undefined),
		'GET scenarios': () => ({ scenarios: describeScenarios() }),
		'POST scenarios': (body) => startScenario(context, body),
		'DELETE scenarios': ({ name }) => act(context, { kind: 'scenario.stop', name: String(name) as ScenarioName }),
		'POST keys': (body) => act(context, { kind: 'key', grant: readGrant(body) }),
		'POST settings': (body) => act(context, { kind: 'settings', settings: readSettings(body) }),
		'POST markets': ({ pair_id: pairId, trading }) =>
			act(context, { kind: 'market', pairId: String(pairId), trading: trading === true }),
	};
}

function act({ exchange }: SandboxContext, action: Parameters<SandboxContext['exchange']['apply']>[0]): object {
	exchange.catchUp();
	return exchange.apply(action).data;
}

function startScenario(context: SandboxContext, { name, email = TRADER_EMAIL }: Fields): object {
	const account = findAccount(context.exchange.engine.state, String(email));
	if (!account) throw notFound('unknown_account', 'There is no account with this email.');
	return act(context, { kind: 'scenario', name: name as ScenarioName, accountId: account.id });
}

const ADVANCE_MAX_MS = 366 * 86_400_000;

function advance(context: SandboxContext, durationMs: unknown): object {
	if (typeof durationMs !== 'number' || !(durationMs >= 0) || durationMs > ADVANCE_MAX_MS) {
		throw invalid('invalid_advance_ms', 'advance_ms must be a number of milliseconds from 0 to one year.');
	}
	context.clock.advance(durationMs);
	return { now: new Date(context.clock.now()).toISOString() };
}
