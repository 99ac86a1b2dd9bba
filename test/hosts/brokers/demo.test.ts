import { list, startDemo, withFolder } from '../../support/demo';

describe('npm run start:brokers', () => {
	it('start:brokers places one order for a fill that two desks get from a broker, names its desk, and stops cleanly', async () => {
		await withFolder(async (data) => {
			const demo = await startDemo({ script: 'start-brokers', portFlag: '--node-red-port', data });
			const [, id] = await demo.waitForLine(/desk 1 +has order (\S+)/);
			await demo.waitForLine(new RegExp(`desk 2 +has order ${id}`));
			const orders = await list<{ id: string; side: string }>(demo.sandboxUrl, '/exchange/orders', 'orders');
			expect(orders.filter((order) => order.id === id)).toHaveLength(1);
			expect(await demo.interrupt()).toEqual({ code: 0, signal: null });
		});
	});
});
