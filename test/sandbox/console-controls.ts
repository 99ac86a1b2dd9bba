import { openConsole, shows, type Console } from '../support/console-page';
import { forAll } from '../support/opened';

const stage = forAll(() => openConsole());
let { page, sandbox, call, place }: Console = {} as Console;
beforeAll(() => ({ page, sandbox, call, place } = stage));

describe('the controls of the console page', () => {
	it('arms a fault from the console, which strikes as often as chosen', async () => {
		await page.locator('#fault-kind').selectOption('refuse');
		await page.getByRole('button', { name: 'Arm refuse', exact: true }).click();
		await shows(page, '#armed', 'refuse');
		await shows(page, '#armed', 'on anything, 1 more');
		expect((await call('GET', '/partner/wallets/currencies')).ok).toBe(false);
		await shows(page, '#armed', 'No fault is armed');
		await shows(page, '#requests', '503 · refuse');
	});

	it('disarms a fault with the keyboard, without losing the focus', async () => {
		await page.getByLabel('How often').selectOption('until disarmed');
		await page.getByRole('button', { name: 'Arm refuse', exact: true }).press('Enter');
		await shows(page, '#armed', 'until disarmed');
		expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Arm refuse');
		await page.getByRole('button', { name: 'Disarm refuse' }).press('Enter');
		await shows(page, '#armed', 'No fault is armed');
		expect(await page.locator(':focus').getAttribute('id')).toBe('armed');
		expect((await call('GET', '/partner/wallets/currencies')).ok).toBe(true);
	});

	it('starts a scenario for the account on the page', async () => {
		await page.getByRole('tab', { name: /Finished/ }).click();
		await page.getByRole('button', { name: 'Start Partial fill, then cancel' }).click();
		await shows(page, '#records', 'scenario');
		await shows(page, '#records', 'cancelled');
		await page.getByRole('tab', { name: /Open/ }).click();
	});

	it('shows the connected clients and their positions, and never strikes the page itself', async () => {
		const client = new WebSocket(`${sandbox.wsUrl}?token=sandbox-key`);
		client.onopen = () => client.send(JSON.stringify({ type: 'subscribe', topics: ['user.orders'] }));
		await shows(page, '#clients', 'user.orders');
		await shows(page, '#clients', 'Console page');
		const gone = new Promise((resolve) => (client.onclose = resolve));
		await page.getByLabel('How often').selectOption('once');
		await page.locator('#fault-kind').selectOption('drop-stream');
		await page.getByRole('button', { name: 'Arm drop-stream' }).click();
		await gone;
		await shows(page, '#armed', 'No fault is armed');
		await shows(page, '#link', 'Live');
		await shows(page, '#clients-count', '1');
	});

	it('places an order from the ticket, shows its result, and cancels it', async () => {
		await page.getByLabel('Quantity, USD').fill('2.00');
		await page.getByLabel('Price, NGN for each USD').fill('1111.00');
		await page.getByLabel('Client order id').fill('by-hand');
		await page.getByRole('button', { name: 'Place order' }).click();
		await shows(page, '#records', 'by-hand');
		await page.getByRole('button', { name: 'Cancel order by-hand' }).click();
		await page.getByRole('tab', { name: /Finished/ }).click();
		await shows(page, '#records', 'Cancelled on request.');
		await page.getByRole('tab', { name: /Open/ }).click();
	});

	it('opens a request with its bodies and the fault that struck it', async () => {
		await page.locator('#fault-kind').selectOption('too-many-requests');
		await page.getByLabel('How often').selectOption('once');
		await page.getByLabel('Retry-After').fill('17');
		await page.getByRole('button', { name: 'Arm too-many-requests' }).click();
		await shows(page, '#armed', 'too-many-requests');
		await page.getByLabel('Retry-After').fill('');
		await call('GET', '/partner/wallets/currencies');
		await shows(page, '#requests', '429 · too-many-requests');
		await page.locator('#requests tr', { hasText: '429' }).getByRole('button').click();
		await shows(page, '#request-rule', 'retryAfter 17');
		await shows(page, '#request-answer', 'Too many requests');
		await page.getByRole('button', { name: 'Close' }).click();
	});

	it('resets only after a second confirmation', async () => {
		await place({ side: 'buy', price: '1234.50', quantity: '1.00', client_order_id: 'hedge-1' });
		await shows(page, '#records', 'hedge-1');
		await page.getByRole('button', { name: 'Reset…' }).click();
		await page.getByRole('button', { name: 'Keep everything' }).click();
		await shows(page, '#records', 'hedge-1');
		await page.getByRole('button', { name: 'Reset…' }).click();
		await page.getByRole('button', { name: 'Reset', exact: true }).click();
		await shows(page, '#records', 'No open order');
		await shows(page, '#middle', 'The book is empty');
		await shows(page, '#trades', 'No trade yet');
	});
});
