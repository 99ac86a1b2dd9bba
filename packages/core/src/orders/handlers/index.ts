import type { IntentKind } from '../../catalogue';
import { orderIn, textOf } from '../../wire/payload';
import type { Exchange, HandlerContext, OrderDependencies } from '../deps';
import { recordIn } from '../journal';
import type { Plan } from '../plan';
import { enforceRiskLimits } from '../risk-limits';
import type { Handler } from '../run';
import { cancel } from './cancel';
import { create } from './create';
import { replace } from './replace';

const exchanges: Readonly<Record<IntentKind, (handling: HandlerContext) => Exchange>> = { create, cancel, replace };

/** How a plan is carried out: checked and recorded like every other, sent and looked up after its own kind. */
export function handlerOf(plan: Plan, deps: OrderDependencies, check: () => Promise<unknown>): Handler {
	const { id, operation, kind, key, fields, context } = plan;
	const { account, read, ports, host } = deps;
	const readSide = async (): Promise<string | undefined> =>
		textOf(orderIn(await read('order.get', { order_id: fields.order_id }, context)), 'side');
	return {
		check: async () => {
			await enforceRiskLimits(operation, fields, context.options ?? {}, readSide);
			await check();
		},
		record: () => recordIn(host.journal, { key, operation: id, fields, at: ports.clock.now() }, operation.label),
		...exchanges[kind]({ plan, account, ports, read, commands: host.commands }),
	};
}
