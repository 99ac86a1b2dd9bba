/** A fill counts as taken when the broker has confirmed it, and not before: brokers that refuse, block or hang. */
import { join } from 'node:path';
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { until } from '../../support/condition';
import { catchUp } from './play';
import { shareStage } from './shared-stage';
import type { Stage, StageOptions } from './stage';

const FILLS = 20;

interface Trouble extends Pick<StageOptions, 'broker' | 'settings' | 'authority'> {
	trouble: string;
	begins: (stage: Stage) => Promise<void>;
	ends: (stage: Stage) => Promise<void>;
}

const restarted = async ({ broker }: Stage, settings?: string): Promise<void> => {
	await broker.kill();
	await broker.restart(settings);
};
const restartedWith = (broker: Trouble['broker'], settings: string): Pick<Trouble, 'broker' | 'begins' | 'ends'> => ({
	broker,
	begins: async (stage) => await restarted(stage, settings),
	ends: async (stage) => await restarted(stage),
});

const untilLogged = async ({ broker }: Stage, text: string): Promise<void> =>
	void (await until(() => broker.log().includes(text), { what: `the broker to say "${text}"` }));

const certificates = join(__dirname, '..', '..', 'fixtures', 'tls');
const certified = (name: string): string =>
	['certfile', 'keyfile'].map((file) => `${file} ${join(certificates, `${name}.pem`)}\n`).join('');
const overTls = { settings: certified('good'), authority: join(certificates, 'authority.pem') };

/** Whoever has no name may read everything, and write nothing. */
const readOnly = join(__dirname, '..', '..', 'fixtures', 'brokers', 'read-only.acl');

/** Those on an equal stage stand together, because they share it. */
const troubles: Trouble[] = [
	{ trouble: 'lets no client in without a name', ...restartedWith(mosquitto, 'allow_anonymous false') },
	{ trouble: 'lets nobody publish', ...restartedWith(mosquitto, `acl_file ${readOnly}`) },
	{
		trouble: 'hangs with its connections open',
		broker: mosquitto,
		begins: async ({ broker }) => broker.freeze(),
		ends: async ({ broker }) => broker.thaw(),
	},
	{
		trouble: 'runs out of disk',
		broker: rabbitmq,
		begins: async (stage) => {
			await stage.broker.control('set_disk_free_limit', '100000GB');
			await untilLogged(stage, 'disk resource limit alarm set');
		},
		ends: async ({ broker }) => void (await broker.control('set_disk_free_limit', '50MB')),
	},
	{
		trouble: 'has a full queue that refuses',
		broker: rabbitmq,
		begins: async ({ broker }) => {
			const limit = JSON.stringify({ 'max-length': 1, overflow: 'reject-publish' });
			await broker.control('set_policy', 'limit', '^exchange-fills$', limit, '--apply-to', 'queues');
		},
		ends: async ({ broker }) => void (await broker.control('clear_policy', 'limit')),
	},
	{
		trouble: 'has another password',
		broker: rabbitmq,
		begins: async ({ broker, network }) => {
			await broker.control('change_password', 'desk', 'another');
			// Who is in stays in.
			network.cut();
			network.mend();
		},
		ends: async ({ broker }) => void (await broker.control('change_password', 'desk', 'for-this-machine-only')),
	},
	{
		trouble: 'lets nobody publish',
		broker: rabbitmq,
		begins: async ({ broker, network }) => {
			await broker.control('set_topic_permissions', 'desk', 'amq.topic', '^$', '.*');
			// A connection remembers what it was allowed.
			network.cut();
			network.mend();
		},
		ends: async ({ broker }) => void (await broker.control('clear_topic_permissions', 'desk')),
	},
	{ trouble: 'has the certificate of another host', ...restartedWith(mosquitto, certified('other-host')), ...overTls },
	{ trouble: 'has a certificate that ended', ...restartedWith(mosquitto, certified('expired')), ...overTls },
	{ trouble: 'has a certificate of nobody', ...restartedWith(mosquitto, certified('self-signed')), ...overTls },
];

/** Troubles that n8n's own MQTT node meets, and what its failed execution says of them. */
const troublesInN8n: (Trouble & { says: RegExp })[] = [
	{
		...{ trouble: 'is away', broker: mosquitto, says: /ECONNREFUSED|ECONNRESET|closed|disconnected/i },
		begins: async ({ broker }) => void (await broker.kill()),
		ends: async ({ broker }) => await broker.restart(),
		...overTls,
	},
	{
		...{ trouble: 'lets no client in without a name', says: /not authorized/i },
		...restartedWith(mosquitto, `${certified('good')}allow_anonymous false`),
		...overTls,
	},
	{
		...{ trouble: 'has a certificate that ended', says: /certificate has expired/i },
		...restartedWith(mosquitto, certified('expired')),
		...overTls,
	},
];

describe('a fill that no broker has', () => {
	const { on, close } = shareStage();
	afterAll(close);

	it.each(troubles)(
		'counts no fill as taken while $broker.name $trouble, says so, and publishes them all when it is well again',
		async ({ trouble: _, begins, ends, ...place }) =>
			await on({ ...place, reader: 'node-red', consumer: 'node-red' }, async (here, published) => {
				const { reader, fills, placed, owed } = here;
				fills(FILLS);
				await until(() => published() === FILLS, { what: 'every fill to be published', seen: reader.log });
				expect(reader.log()).not.toContain('The reader stopped');
				await begins(here);
				fills(FILLS);
				await until(() => reader.log().includes('The reader stopped, because the broker '), {
					what: 'the reader to say so',
					seen: reader.log,
				});
				// The comparison finds them without the broker.
				await catchUp(here);
				expect(published()).toBe(FILLS);
				const says = (start: string): boolean => reader.statuses().some((text) => text.startsWith(start));
				await until(() => says('stopped') && says('broker '), { what: 'the nodes to say so', seen: reader.statuses });
				await ends(here);
				await until(() => published() === 2 * FILLS, { what: 'every fill to be published', seen: reader.log });
				expect(placed()).toEqual(await owed());
			}),
	);

	it.each(troublesInN8n)(
		'an n8n that reads counts no fill as taken while $broker.name $trouble, and its execution says so',
		async ({ trouble: _, begins, ends, says, ...place }) =>
			await on({ ...place, reader: 'n8n', consumer: 'node-red' }, async (here) => {
				const { reader, fills, placed, owed } = here;
				const deliveries = async (): Promise<number> => {
					const successes = (await reader.executions()).filter(({ status }) => status === 'success');
					return new Set(successes.flatMap(({ itemsOf }) => itemsOf('Fill').map(({ json }) => json.eventKey))).size;
				};
				/** The newest first. */
				const errors = async (): Promise<string[]> =>
					(await reader.executions()).flatMap(({ data }) => data.resultData.error?.message ?? []);
				const before = { deliveries: await deliveries(), errors: (await errors()).length };
				const delivers = async (count: number): Promise<unknown> =>
					await until(async () => (await deliveries()) === before.deliveries + count, {
						...{ everyMs: 200, what: 'every fill to be published', seen: reader.log },
					});
				fills(FILLS);
				await delivers(FILLS);
				await begins(here);
				fills(FILLS);
				const fails = async (): Promise<boolean> => (await errors()).length > before.errors;
				await until(fails, { everyMs: 200, what: 'an execution to fail', seen: reader.log });
				expect((await errors())[0]).toMatch(says);
				expect(await deliveries()).toBe(before.deliveries + FILLS);
				await ends(here);
				await delivers(2 * FILLS);
				await catchUp(here);
				expect(placed()).toEqual(await owed());
			}),
	);
});
