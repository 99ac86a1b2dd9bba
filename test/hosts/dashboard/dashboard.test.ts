/** The example of a dashboard, in a real Node-RED and a real browser. */
import { until } from '../../support/condition';
import { openDashboard } from '../../support/dashboard';
import { makeFill } from '../../support/fills';
import { ordersIn } from '../../support/placing';
import { forAll } from '../../support/opened';

describe('the dashboard', () => {
	const bench = forAll(() => openDashboard());
	const faults: string[] = [];
	beforeAll(async () => {
		bench.page.on('pageerror', ({ message }) => faults.push(message));
		await makeFill(bench.sandbox);
	});
	afterAll(() => expect(faults).toEqual([]));

	const button = (name: string) => bench.page.getByRole('button', { name, exact: true });
	const field = (name: string) => bench.page.getByLabel(name);
	const stop = () => bench.page.getByRole('checkbox');
	const openOrders = () => bench.page.getByRole('table', { name: 'Open orders' });
	const says = async (text: RegExp): Promise<void> => await bench.page.getByText(text).first().waitFor();
	const placed = () => ordersIn(bench.sandbox);
	const ended = async (count: number): Promise<unknown> =>
		await until(() => placed().filter(({ status }) => status === 'cancelled').length === count, {
			what: `${count} cancelled orders`,
			seen: () => placed().map(({ status }) => status),
		});
	async function limitOrder(price: string): Promise<void> {
		await field('Type').selectOption('limit');
		await field('Price in NGN').fill(price);
		await field('Quantity in USD').fill('10.00');
		await button('Estimate').click();
		await button('Place').click();
	}

	it('shows the rate, candles and balances', async () => {
		await says(/^bid \d+\.\d+$/);
		await bench.page.locator('.desk-candles rect').first().waitFor();
		await bench.page.getByRole('cell', { name: 'NGN' }).waitFor();
		await says(/^None is open$/);
	});

	it('is stopped after each start, and places nothing until somebody turns the stop switch off', async () => {
		const before = placed().length;
		await limitOrder('1000.00');
		await says(/Nothing was placed: the stop switch is on/);
		expect(placed()).toHaveLength(before);
		await stop().uncheck();
	});

	it('places nothing that was not estimated, and exactly what was', async () => {
		const before = placed().length;
		await field('Type').selectOption('market');
		await field('Quantity in USD').fill('');
		await field('or amount in NGN').fill('50000.00');
		await button('Estimate').click();
		const estimate = bench.page.getByLabel('Estimate', { exact: true }).locator('dd').first();
		await estimate.waitFor();
		expect(await button('Place').isEnabled()).toBe(true);
		await field('or amount in NGN').fill('60000.00');
		expect(await button('Place').isEnabled()).toBe(false);
		await button('Estimate').click();
		const [quantity] = (await estimate.innerText()).split(' ');
		await button('Place').dblclick();
		await says(/^Order \S+: buy [\d.]+ USD is \w+$/);
		const [order, ...more] = placed().slice(before);
		expect(more).toEqual([]);
		expect((Number(order!.quantity) / 100).toFixed(2)).toBe(Number(quantity).toFixed(2));
		await field('or amount in NGN').fill('');
	});

	it('says what the market would refuse, and does not offer to place it', async () => {
		await field('Quantity in USD').fill('0.001');
		await button('Estimate').click();
		await says(/The quantity is zero/);
		expect(await button('Place').isDisabled()).toBe(true);
	});

	it('says that a refused order is looked for, and why it was refused', async () => {
		bench.sandbox.faults.arm({ kind: 'forbidden', operation: 'order.create', times: 1 });
		await limitOrder('1000.00');
		await says(/^Placing: looking .*forbidden$/);
	});

	it('cancels the one order whose button is pressed', async () => {
		await limitOrder('1001.00');
		await limitOrder('1002.00');
		const row = openOrders().getByRole('row').filter({ hasText: '1001.00' });
		await row.getByRole('button', { name: 'Cancel' }).click();
		await ended(1);
		await row.waitFor({ state: 'detached' });
		expect(placed().find(({ status }) => status === 'cancelled')).toMatchObject({ price: 100_100n });
		await openOrders().getByRole('row').filter({ hasText: '1002.00' }).waitFor();
	});

	it('cancels every open order when the stop switch is thrown, and says so', async () => {
		await limitOrder('1003.00');
		await openOrders().getByRole('row').filter({ hasText: '1003.00' }).waitFor();
		await stop().check();
		await says(/2 orders ended, none is open/);
		await ended(3);
		await says(/^None is open$/);
	});
});
