/** Faults that need no message: they apply to open connections, to new ones, and to the log the stream replays from. */
import type { Connection } from './connection';
import type { SandboxContext } from './context';
import { kindsStriking, type KindStriking } from './faults';

const connectionFaults: Record<KindStriking<'connection'>, (connection: Connection) => void> = {
	'drop-stream': ({ socket }) => socket.terminate(),
	'silence-stream': (connection) => void (connection.silent = true),
};

/** The status that answers a refused upgrade. */
const upgradeFaults: Record<KindStriking<'upgrade'>, string> = { 'refuse-stream': '503 Service Unavailable' };

const logFaults: Record<KindStriking<'log'>, (engine: SandboxContext['exchange']['engine']) => void> = {
	'refuse-resume': (engine) => engine.startEpoch(),
	'new-epoch': (engine) => engine.startEpoch(),
};

const [CONNECTION_KINDS, UPGRADE_KINDS, LOG_KINDS] = [
	kindsStriking('connection'),
	kindsStriking('upgrade'),
	kindsStriking('log'),
];

export function strikeStreams({ faults, exchange }: SandboxContext, connections: Iterable<Connection>): void {
	for (const connection of connections) {
		if (connection.isConsole) continue;
		const fault = faults.strike(CONNECTION_KINDS, { apiKey: connection.apiKey });
		if (fault) connectionFaults[fault.kind](connection);
	}
	const fault = faults.strike(LOG_KINDS, {});
	if (fault) logFaults[fault.kind](exchange.engine);
}

/** The status of a new connection that a fault refuses. */
export function strikeUpgrade({ faults }: SandboxContext, apiKey: string | undefined): string | undefined {
	const fault = faults.strike(UPGRADE_KINDS, { apiKey });
	return fault && upgradeFaults[fault.kind];
}
