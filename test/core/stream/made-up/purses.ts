import { digest, recordsIn } from '../../../../packages/core/src/stream/topics/event';
import type { Topic } from '../../../../packages/core/src/stream/topics/topic';
import { textOf } from '../../../../packages/core/src/wire/payload';

/** A topic the service does not have: the state of each purse, which `wallet.balances` shows whole. */
export const purses: Topic = {
	records: (payload) => recordsIn(payload, ['balance', 'balances'], ({ currency }) => typeof currency === 'string'),
	identify: (item) => {
		const id = textOf(item, 'currency');
		if (id === undefined) return undefined;
		const content = digest([textOf(item, 'available'), textOf(item, 'locked')]);
		return { key: `purse:${id}:${content}`, data: item, item, state: { id, content } };
	},
	keeps: 'state',
	backfill: { from: 'state', read: 'wallet.balances' },
};
