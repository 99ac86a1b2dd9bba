/** A message broker on the loopback interface: what a reader hands events to, and consumers take them from. */
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Child } from './child';
import { until } from './condition';
import { HOST } from './ports';

export interface BrokerOptions {
	/** Where the broker keeps what it has confirmed; started again in the same folder, it goes on with that. */
	folder: string;
	mqttPort: number;
	/** For AMQP, if it speaks it. */
	amqpPort: number;
	/** Lines behind those of the examples, such as a limit to reach. It then may refuse clients, and need only listen. */
	settings?: string;
	own?: (child: Child) => void;
}

/** A broker that runs. */
export interface Running extends Child {
	/** Runs the broker's own command for administrators, and returns what it printed; Mosquitto has none. */
	control?: (...command: string[]) => Promise<string>;
}

export interface Broker {
	name: string;
	/** The latest MQTT it speaks, as Node-RED numbers it: 4 is V3.1.1, by which it cannot say that it refuses a message. */
	protocolVersion: '4' | '5';
	/** Throws with instructions if a program is missing. */
	require: () => Promise<void>;
	/** Resolves when it accepts MQTT clients. */
	start: (options: BrokerOptions) => Promise<Running>;
}

/** The version of MQTT for a node that asks for one: V5 only where the broker speaks it. */
export const spokenVersion = (version: unknown, latest: Broker['protocolVersion']): unknown =>
	version === '5' ? latest : version;

export const settingsFolder = join(__dirname, '..', '..', 'examples', 'brokers');

/** MQTT 3.1.1: CONNECT with a clean session and the client id `ready`. */
const CONNECT = Buffer.from([0x10, 17, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 60, 0, 5, ...Buffer.from('ready')]);
const CONNACK = 0x20;

/** Waits until a broker accepts clients; throws with its last lines if it ends before. */
export async function untilAccepting(name: string, child: Child, options: BrokerOptions): Promise<Child> {
	const { mqttPort, settings } = options;
	const seen = (): string => child.log().slice(-2000);
	const accepts = async (): Promise<boolean> => {
		if (child.exit()) throw new Error(`${name} ended while starting:\n${seen()}`);
		return await answersMqtt(mqttPort, settings !== undefined);
	};
	await until(accepts, { what: `${name} to start`, seen });
	return child;
}

/** Whether a broker accepts a client. A port that listens is not enough: RabbitMQ opens it before it serves. */
async function answersMqtt(port: number, listens: boolean): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, HOST, () => (listens ? finish(true) : socket.write(CONNECT)));
		const finish = (isUp: boolean): void => {
			socket.destroy();
			resolve(isUp);
		};
		socket.once('data', ([type, , , code]: Buffer) => finish(type === CONNACK && code === 0));
		socket.once('error', () => finish(false)).once('close', () => finish(false));
	});
}
