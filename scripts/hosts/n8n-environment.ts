/** The environment of a local n8n: loopback interface only, all data in one folder, no telemetry or update checks. */
import { delimiter, dirname } from 'node:path';
import { HOST } from './ports';
import { isN8n1 } from './versions';

export interface N8nPlace {
	/** n8n keeps its database, settings and installed packages in its subfolder `.n8n`. */
	userFolder: string;
	port: number;
	/** n8n opens a port for task runners even when it starts none. */
	brokerPort: number;
}

const off = (...names: string[]): NodeJS.ProcessEnv => Object.fromEntries(names.map((name) => [name, 'false']));

export function n8nEnvironment({ userFolder, port, brokerPort }: N8nPlace): NodeJS.ProcessEnv {
	return {
		PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
		HOME: userFolder,
		LANG: 'C.UTF-8',
		NODE_ENV: 'production',
		NO_COLOR: '1',
		NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
		GENERIC_TIMEZONE: 'UTC',
		N8N_USER_FOLDER: userFolder,
		N8N_ENCRYPTION_KEY: 'local-use-only',
		N8N_PORT: String(port),
		N8N_HOST: HOST,
		N8N_LISTEN_ADDRESS: HOST,
		N8N_EDITOR_BASE_URL: `http://${HOST}:${port}`,
		N8N_WEBHOOK_URL: `http://${HOST}:${port}/`,
		N8N_LOG_LEVEL: 'info',
		N8N_LOG_OUTPUT: 'console',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '15',
		N8N_RUNNERS_MODE: 'external', // starts no runner process; only the Code node would need one
		N8N_RUNNERS_AUTH_TOKEN: 'local-use-only',
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: HOST,
		N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true', // otherwise each execution pays for an isolate it may not use
		// n8n 1 does not start if this names a module it does not know.
		N8N_DISABLED_MODULES: isN8n1() ? 'insights' : 'insights,mcp-registry,instance-ai,chat-hub,agents,mcp',
		...off('N8N_SECURE_COOKIE', 'N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS', 'N8N_PERSONALIZATION_ENABLED'),
		...off(
			'N8N_DIAGNOSTICS_ENABLED',
			'N8N_VERSION_NOTIFICATIONS_ENABLED',
			'N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED',
		),
		...off('N8N_DYNAMIC_BANNERS_ENABLED', 'N8N_TEMPLATES_ENABLED', 'N8N_HIRING_BANNER_ENABLED', 'N8N_AI_ENABLED'),
		...off('N8N_LICENSE_AUTO_RENEW_ENABLED', 'N8N_VERIFIED_PACKAGES_ENABLED'),
	};
}
