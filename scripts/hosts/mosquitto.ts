/** Debian's Mosquitto on the loopback interface, with the settings of `examples/brokers`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settingsFolder, untilAccepting, type Broker, type BrokerOptions } from './broker';
import { startProgram } from './child';
import { requireProgram } from './system';

const program = (): Promise<string> => requireProgram('mosquitto', ['/usr/sbin'], 'mosquitto', 'MQTT');

export const mosquitto: Broker = {
	name: 'Mosquitto',
	protocolVersion: '5',
	require: async () => void (await program()),
	start: async (options: BrokerOptions) => {
		const { folder, mqttPort, settings: more = '', own } = options;
		await mkdir(folder, { recursive: true });
		const settings = await readFile(join(settingsFolder, 'mosquitto.conf'), 'utf8');
		// Started by root it would become another user, who cannot write into this folder.
		const user = process.getuid?.() === 0 ? '\nuser root\n' : '';
		const file = join(folder, 'mosquitto.conf');
		await writeFile(file, settings.replace('listener 1883', `listener ${mqttPort}`) + user + more);
		const child = startProgram({ program: await program(), args: ['-c', file], cwd: folder, env: process.env });
		own?.(child);
		return await untilAccepting('Mosquitto', child, options);
	},
};
