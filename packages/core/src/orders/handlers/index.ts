import type { IntentKind } from '../../catalogue';
import { ExchangeError, isExchangeError } from '../../errors';
import { textOf, type Item } from '../../wire/payload';
import type { KindHandler, HandlerContext, OrderDependencies } from '../deps';
import { recordIn } from '../journal';
import type { Plan } from '../plan';
import type { AdmittedOrder } from '../limits/account-limits';
import { countKeyOf } from '../limits/placed-count';
import { enforceRiskLimits } from '../limits/risk-limits';
import type { Handler } from '../run';
import { cancel } from './command';
import { create } from './create';
import { replace } from './replace';
import { readOrder } from '../lookup';

const kinds: Readonly<Record<IntentKind, (handling: HandlerContext) => KindHandler>> = { create, cancel, replace };

/** A machine that slept for less sends an order all the same. */
const SLEPT_MS_MAX = 60_000;

/** The handler of a plan: check and record are the same for every kind, send and lookup differ by kind. */
export function handlerOf(plan: Plan, deps: OrderDependencies, check: () => Promise<unknown>): Handler {
	const { id, operation, kind, key, digest, fields, context } = plan;
	const { owner, list, read, service, ports, host } = deps;
	const limited: AdmittedOrder = {
		kind,
		key: countKeyOf(key, digest),
		label: operation.label,
		pair_id: textOf(fields, 'pair_id'),
		quantity: textOf(fields, 'quantity'),
		price: textOf(fields, 'price'),
		client_order_id: textOf(fields, 'client_order_id'),
	};
	/** What the service shows of this order is counted as this order, not as another one. */
	const recordShown = (order: Item): void => {
		if (kind !== 'cancel') host.limits?.orderShown(order, limited.key);
	};
	const { clock } = ports;
	const begunAt = clock.now() - clock.elapsed();
	/** The monotonic clock stands still while a machine sleeps, so no limit of time shows how long ago this was asked for. */
	const assertAwake = (): void => {
		if (kind === 'cancel' || clock.now() - clock.elapsed() - begunAt < SLEPT_MS_MAX) return;
		throw new ExchangeError('not_available', {
			operation: operation.label,
			what: 'This machine slept, or its clock was set ahead, while the order was on its way, so it is not sent now',
			advice: 'Place the order again if you still want it',
		});
	};
	// The first transmission follows the check at once, so the limits need not be read again for it.
	let isRenewed = false;
	const assertWanted = async (): Promise<void> => {
		assertAwake();
		if (!isRenewed && kind !== 'cancel') await host.renewLimits?.();
		isRenewed = false;
		host.limits?.assertRunning(limited);
	};
	const ofKind = kinds[kind]({ ...deps, plan, assertWanted });
	return {
		check: async () => {
			await enforceRiskLimits(operation, fields, context.options ?? {}, () =>
				readOrder(read, fields.order_id, context),
			);
			await check();
			if (context.options?.dry_run === true) return;
			if (kind !== 'cancel') await host.renewLimits?.();
			await host.limits?.admit(limited, { owner, read, list, clock, service, journal: host.journal });
			isRenewed = true;
		},
		record: () =>
			recordIn(host.journal, { key, operation: id, fields, at: clock.now(), account: owner }, operation.label),
		lookup: async (look) => {
			const lookup = await ofKind.lookup(look);
			if (lookup.is === 'found') recordShown(lookup.result);
			return lookup;
		},
		send: async () => {
			try {
				await assertWanted();
			} catch (error) {
				if (!isExchangeError(error)) throw error;
				return { proof: 'refused', error, isHeldBack: true };
			}
			const attempt = await ofKind.send();
			if (attempt.proof === 'done') recordShown(attempt.result);
			return attempt;
		},
	};
}
