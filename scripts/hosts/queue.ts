/** The services n8n needs in queue mode: Redis for the jobs, and PostgreSQL. */
import { join } from 'node:path';
import type { Child } from './child';
import { DATABASE, requirePostgres, startPostgres } from './postgres';
import { freePort, HOST } from './ports';
import { requireRedis, startRedis } from './redis';

export interface QueueServices {
	redis: Child;
	postgres: Child;
	redisPort: number;
	/** Environment variables for main and all workers. */
	env: NodeJS.ProcessEnv;
}

export interface QueueOptions {
	folder: string;
	appendOnly?: boolean;
	own?: (name: string, child: Child) => void;
}

/** Throws if a program is missing; called before anything is started. */
export async function requireQueuePrograms(): Promise<void> {
	await requireRedis();
	await requirePostgres();
}

export async function startQueue({ folder, appendOnly = true, own }: QueueOptions): Promise<QueueServices> {
	const [redisPort, postgresPort] = [await freePort(), await freePort()];
	const redis = await startRedis({
		folder: join(folder, 'redis'),
		port: redisPort,
		appendOnly,
		own: (child) => own?.('Redis', child),
	});
	const postgres = await startPostgres({
		folder: join(folder, 'postgres'),
		port: postgresPort,
		own: (child) => own?.('PostgreSQL', child),
	});
	return { redis, postgres, redisPort, env: queueEnvironment(redisPort, postgresPort) };
}

const queueEnvironment = (redisPort: number, postgresPort: number): NodeJS.ProcessEnv => ({
	EXECUTIONS_MODE: 'queue',
	QUEUE_BULL_REDIS_HOST: HOST,
	QUEUE_BULL_REDIS_PORT: String(redisPort),
	DB_TYPE: 'postgresdb',
	DB_POSTGRESDB_HOST: HOST,
	DB_POSTGRESDB_PORT: String(postgresPort),
	DB_POSTGRESDB_USER: DATABASE.user,
	DB_POSTGRESDB_DATABASE: DATABASE.name,
	DB_POSTGRESDB_PASSWORD: 'local-use-only',
	DB_POSTGRESDB_POOL_SIZE: '10',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
});
