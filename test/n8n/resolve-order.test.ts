import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { runWorkflow } from '../support/engine';
import { credentialFor, limitOrder } from './exchange';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox();
});
afterEach(async () => await sandbox.close());

const wire = (node: string) => ({ node, type: 'main' as const, index: 0 });

describe('Resolve Order behind an error output', () => {
	it('Resolve Order behind an error output finds an unknown order without any field filled in', async () => {
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create', times: 99 });
		// The lookup of Create Order fails; the one of Resolve Order succeeds.
		sandbox.faults.arm({ kind: 'forbidden', operation: 'order.list', times: 1 });
		const made = await runWorkflow(
			[
				{ type: PartnerExchange, name: 'Buy', parameters: limitOrder, settings: { onError: 'continueErrorOutput' } },
				{
					type: PartnerExchange,
					name: 'Resolve',
					parameters: { resource: 'order', operation: 'resolve' },
				},
			],
			{
				...credentialFor(sandbox),
				connections: { Start: { main: [[wire('Buy')]] }, Buy: { main: [[], [wire('Resolve')]] } },
			},
		);
		const [, failed] = made.runsOf('Buy')[0]!.data!['main']!;
		expect(failed![0]!.json).toMatchObject({
			details: { code: 'outcome_unknown', client_order_id: expect.any(String) },
		});
		const [order] = [...sandbox.engine.state.orders.values()];
		expect(made.items.map(({ json }) => json)).toEqual([
			expect.objectContaining({ outcome: 'accepted', client_order_id: order!.clientOrderId }),
		]);
	});
});
