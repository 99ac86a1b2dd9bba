import { audit } from '../engine/audit';
import { findAccount, TRADER_EMAIL } from '../engine/opening';
import { invalid, notFound } from '../engine/refusal';
import type { Fields } from '../engine/draft';
import type { ScenarioName } from '../engine/scenarios';
import type { Controls } from './control';
import { describe, describeScenarios } from './describe';
import { candlesOf } from '../api/market-routes';
import { faultKinds, type FaultRequest } from './faults';
import type { Running } from './running';
import { readGrant, readSettings } from './settings';
import type { StreamServer } from './stream';

/** What the control routes do, one line each. */
export function createControls(
	running: Running,
	addresses: () => object,
	{ disturb, clients }: Pick<StreamServer, 'disturb' | 'clients'>,
): Controls {
	return {
		'GET state': () => {
			running.exchange.catchUp();
			return { ...describe(running, addresses()), clients: clients() };
		},
		'GET candles': (_body, query) => candlesOf(running.exchange.engine, query),
		'GET requests': () => ({ requests: running.requests }),
		'GET audit': () => ({ faults: audit(running.exchange.engine.state) }),
		'POST reset': () => running.reset(),
		'POST clock': ({ advance_ms: durationMs }) => advance(running, durationMs),
		'GET faults': () => ({ kinds: faultKinds, armed: running.faults.armed, fired: running.faults.fired }),
		'POST faults': (body) => {
			const fault = running.faults.arm(body as unknown as FaultRequest);
			disturb();
			return fault;
		},
		'DELETE faults': ({ id }) => running.faults.disarm(id as number | undefined),
		'GET scenarios': () => ({ scenarios: describeScenarios() }),
		'POST scenarios': (body) => startScenario(running, body),
		'DELETE scenarios': ({ name }) => act(running, { kind: 'scenario.stop', name: String(name) as ScenarioName }),
		'POST keys': (body) => act(running, { kind: 'key', grant: readGrant(body) }),
		'POST settings': (body) => act(running, { kind: 'settings', settings: readSettings(body) }),
		'POST markets': ({ pair_id: pairId, trading }) =>
			act(running, { kind: 'market', pairId: String(pairId), trading: trading === true }),
	};
}

function act({ exchange }: Running, action: Parameters<Running['exchange']['apply']>[0]): object {
	exchange.catchUp();
	return exchange.apply(action).data;
}

function startScenario(running: Running, { name, email = TRADER_EMAIL }: Fields): object {
	const account = findAccount(running.exchange.engine.state, String(email));
	if (!account) throw notFound('unknown_account', 'There is no account with this email.');
	return act(running, { kind: 'scenario', name: name as ScenarioName, accountId: account.id });
}

const ADVANCE_MAX_MS = 366 * 86_400_000;

function advance(running: Running, durationMs: unknown): object {
	if (typeof durationMs !== 'number' || !(durationMs >= 0) || durationMs > ADVANCE_MAX_MS) {
		throw invalid('invalid_advance_ms', 'advance_ms must be a number of milliseconds from 0 to one year.');
	}
	running.clock.advance(durationMs);
	return { now: new Date(running.clock.now()).toISOString() };
}
