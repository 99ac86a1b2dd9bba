/** Debian's RabbitMQ on the loopback interface, with the settings of `examples/brokers`. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { settingsFolder, untilAccepting, type Broker, type BrokerOptions, type Running } from './broker';
import { startProgram, type Child } from './child';
import { freePort, HOST } from './ports';
import { requireProgram } from './system';

const program = (): Promise<string> =>
	requireProgram('rabbitmq-server', ['/usr/lib/rabbitmq/bin'], 'rabbitmq-server', 'AMQP');
const portMapper = (): Promise<string> => requireProgram('epmd', ['/usr/bin'], 'erlang-base', 'RabbitMQ');

export const rabbitmq: Broker = {
	name: 'RabbitMQ',
	// Debian's is older than the first one that speaks V5.
	protocolVersion: '4',
	require: async () => void (await Promise.all([program(), portMapper()])),
	start: async (options) => {
		const { folder, own } = options;
		await writeSettings(options);
		const mapperPort = await freePort();
		// Erlang would start one by itself, which would outlive us.
		const mapper = startProgram({
			program: await portMapper(),
			args: ['-port', String(mapperPort), '-address', HOST],
			cwd: folder,
			env: process.env,
		});
		own?.(mapper);
		const env = await environment(folder, mapperPort);
		const child = startProgram({ program: await program(), args: [], cwd: folder, env });
		own?.(child);
		await untilAccepting('RabbitMQ', child, options);
		return { ...withMapper(child, mapper), control: async (...command) => await control(env, command) };
	},
};

async function writeSettings({ folder, mqttPort, amqpPort, settings: more = '' }: BrokerOptions): Promise<void> {
	await mkdir(folder, { recursive: true });
	const settings = await readFile(join(settingsFolder, 'rabbitmq.conf'), 'utf8');
	const moved = settings.replace(':5672', `:${amqpPort}`).replace(':1883', `:${mqttPort}`);
	await writeFile(join(folder, 'rabbitmq.conf'), `${moved}\n${more}\n`);
	await writeFile(join(folder, 'enabled_plugins'), '[rabbitmq_mqtt].\n');
	await copyFile(join(settingsFolder, 'definitions.json'), join(folder, 'definitions.json'));
}

const administration = (): Promise<string> =>
	requireProgram('rabbitmqctl', ['/usr/lib/rabbitmq/bin'], 'rabbitmq-server', 'RabbitMQ');

/** Runs `rabbitmqctl` beside a broker, with the environment it was started in. */
async function control(env: NodeJS.ProcessEnv, command: string[]): Promise<string> {
	const { stdout } = await promisify(execFile)(await administration(), command, { env });
	return stdout;
}

const environment = async (folder: string, mapperPort: number): Promise<NodeJS.ProcessEnv> => ({
	...process.env,
	// Erlang takes the place of the script, so that a signal reaches the broker itself.
	RUNNING_UNDER_SYSTEMD: 'true',
	// The cookie of the node is kept in the home folder.
	HOME: folder,
	// Other nodes of a cluster are not let in from outside this machine.
	RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
	RABBITMQ_NODENAME: 'partner-exchange@localhost',
	RABBITMQ_DIST_PORT: String(await freePort()),
	ERL_EPMD_PORT: String(mapperPort),
	ERL_EPMD_ADDRESS: HOST,
	RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
	RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
	RABBITMQ_MNESIA_BASE: join(folder, 'data'),
	RABBITMQ_LOG_BASE: join(folder, 'log'),
	RABBITMQ_LOGS: '-',
	RABBITMQ_PID_FILE: join(folder, 'pid'),
});

/** The broker and its port mapper as one process to stop. */
function withMapper(child: Child, mapper: Child): Running {
	return {
		...child,
		stop: async (signal, patienceMs) => {
			const exit = await child.stop(signal, patienceMs);
			await mapper.stop('SIGKILL');
			return exit;
		},
	};
}
