import { ExchangeError } from '@partner-exchange/core';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import type { IDataObject, INode } from 'n8n-workflow';
import { nodeError } from '../../nodes/shared/host/errors';
import { limitOrder, pick, run } from './exchange';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.close());

/** The two texts n8n shows of an error: the title, and what stands below it. */
async function show(parameters: IDataObject): Promise<[title: string, below: string]> {
	const { error } = await run(sandbox, { ...limitOrder, ...parameters });
	return [error!.message, String(error!['description'])];
}

describe('an error in n8n', () => {
	it('says below a wrong pair what to do, and no name that only a flow needs', async () => {
		expect(await show({ pair_id: pick('XYZ/ABC', 'id') })).toEqual([
			'Create Order: There is no pair XYZ/ABC',
			'The service offers USD/NGN; no order was placed. Code: invalid_input',
		]);
	});

	it('names what a sentence leaves out as the form does', async () => {
		const [, below] = await show({ quantity: '999999999.00', options: { check_balance: true, check_market: false } });
		expect(below).toBe('Lower the quantity or add funds; no order was placed. Code: invalid_input · Pair: USD/NGN');
	});

	it('offers the choices of a field that is missing', async () => {
		expect(await show({ side: '={{ undefined }}' })).toEqual([
			'Create Order: Side is missing',
			'Enter one of buy, sell; no order was placed. Code: invalid_input',
		]);
	});

	it('says of an operation that does not exist where to choose one', async () => {
		expect(await show({ operation: '{{ "create" }}' })).toEqual([
			'There is no operation "{{ "create" }}" of "order"',
			'Choose the operation from its list, which takes no expression; nothing was sent. Code: invalid_input',
		]);
	});

	it('shows what a service says as text, where n8n would make links and pictures of it', () => {
		const serviceMessage = 'Pay <a href="https://evil.test">here</a><img src=x>';
		const error = new ExchangeError('refused', { what: 'Refused', serviceMessage, details: { order_id: '<b>1</b>' } });
		const { message, description } = nodeError({ name: 'Create' } as INode, error);
		expect(message).toContain('Pay ‹a href="https://evil.test">here‹/a>');
		expect(`${message}${description}`).not.toContain('<');
	});

	it('leaves out a detail that nobody knows', () => {
		const details = { order_id: null, status: 'filled' };
		const error = new ExchangeError('conflict', { what: 'The order has ended', details });
		const { description } = nodeError({ name: 'Replace' } as INode, error);
		expect(description).toBe('Read the existing record before sending anything new. Code: conflict · Status: filled');
	});
});
