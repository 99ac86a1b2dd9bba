import type { KeyGrant } from '../../engine/seed';
import { timestamp } from '../../engine/world';
import type { SandboxContext } from '../context';
import { grantSchema, settingsSchema } from './grants';
import { act, object, text, type ControlParts, type ControlRoutes } from './route';
import { advanceRecord } from './state';

const ADVANCE_MAX_MS = 366 * 86_400_000;

export function marketRoutes(context: SandboxContext, { stream }: ControlParts): ControlRoutes {
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
			answers: ['now', 'clock_advance'],
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
			answers: Object.keys(settingsSchema.properties),
			run: (body) => act(context, { kind: 'settings', settings: body }),
		},
		'POST markets': {
			summary: 'Halts a market, or lets it trade again',
			body: object({ pair_id: text('Pair'), trading: { type: 'boolean' } }, ['pair_id', 'trading']),
			answers: ['pair_id', 'trading'],
			run({ pair_id: pairId, trading }) {
				act(context, { kind: 'market', pairId: pairId as string, trading: trading as boolean });
				return { pair_id: pairId, trading };
			},
		},
		'POST keys': {
			summary: 'Issues a key, or changes one',
			body: grantSchema,
			answers: ['key', 'accountId', 'access', 'environment', 'active'],
			run: (body) => act(context, { kind: 'key', grant: body as unknown as KeyGrant }),
		},
	};
}
