import { createEngine } from '../../packages/sandbox/src/engine/engine';
import { HISTORY_MAX } from '../../packages/sandbox/src/engine/order-life';
import { fingerprintOf } from '../../packages/sandbox/src/engine/idempotency';

/** Cancelled at once, because nothing meets it. */
const fields = {
	...{ pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '1.00', price: '1400.00' },
	time_in_force: 'IOC',
};

it('keeps the latest finished orders and the keys of them, and forgets older ones', () => {
	const engine = createEngine({ settings: { orderDelayMs: 0, marketMaker: 'off' } });
	const place = (key: string): string => {
		const fingerprint = fingerprintOf('order_create', fields);
		const { data } = engine.apply({ kind: 'order_create', accountId: 'trader', fields, key, fingerprint });
		engine.advanceTo(engine.state.now + 1);
		return (data as { order_id: string }).order_id;
	};
	const ids = Array.from({ length: HISTORY_MAX + 2 }, (_, index) => place(`key-${index}`));
	expect([...engine.state.orders.keys()]).toEqual(ids.slice(2));
	expect(place('key-2')).toBe(ids[2]);
	expect(place('key-0')).not.toBe(ids[0]);
});
