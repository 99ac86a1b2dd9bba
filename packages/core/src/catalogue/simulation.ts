import { choice, decimal, optional, text } from './field';
import { freeBody, operation } from './operation';

const email = text({
	label: 'Account Email',
	help: 'Whose wallet it is about, by the email of the test account; the local sandbox knows trader@sandbox.test',
	example: 'trader@sandbox.test',
	maxLength: 254,
});
const amount = decimal({ label: 'Amount', help: 'Amount to credit', example: '50000.00' });
const chain = text({
	label: 'Chain',
	help: 'Blockchain the coins arrive on',
	example: 'TRON',
	pick: 'chain',
	maxLength: 64,
});
const asset = text({ label: 'Asset', help: 'Stablecoin such as USDT or USDC', example: 'USDT', maxLength: 16 });
const answerNotShown = 'The answers of the simulation are not shown';

/** The common part of the six simulations: no key, never in production. (Interface, parts 4 and 5.) */
const simulated = {
	access: 'public',
	nonProduction: true,
	output: 'unspecified',
	outputNotShown: answerNotShown,
} as const;
/** Money that moves is a transaction, which can be awaited. */
const followed = { options: ['read_back', 'wait_settled', 'wait_seconds'], adds: ['transaction', 'wait'] } as const;
const assumed = 'The body of this simulation is not shown; the names are those of the simulated deposits';
const body = { body: { ...freeBody(assumed), help: 'JSON object merged over the fields above, or sent alone' } };
const testEmail = { email: optional({ ...email, assumed }) };
const withdrawn = optional(decimal({ label: 'Amount', help: 'Amount to withdraw', example: '5000.00', assumed }));

export const simulation = {
	'simulation.fiatDeposit': operation({
		...simulated,
		label: 'Simulate Fiat Deposit',
		action: 'Simulate fiat deposit',
		help: 'Credit test NGN to a test account',
		run: { via: 'rest', route: 'POST /simulate/fiat/deposits', retry: 'never' },
		input: { email, amount, currency: choice(['NGN'], { label: 'Currency', help: 'Currency of the deposit' }) },
		...followed,
		palette: 'simulate-deposit',
	}),
	'simulation.cryptoDeposit': operation({
		...simulated,
		label: 'Simulate Crypto Deposit',
		action: 'Simulate crypto deposit',
		help: 'Credit a test stablecoin to the USD wallet of a test account',
		run: { via: 'rest', route: 'POST /simulate/crypto/deposits', retry: 'never' },
		input: {
			email,
			chain,
			asset,
			amount,
		},
		...followed,
		palette: 'simulate-deposit',
	}),
	'simulation.fiatWithdrawal': operation({
		...simulated,
		label: 'Simulate Fiat Withdrawal',
		action: 'Simulate fiat withdrawal',
		help: 'Create a test bank withdrawal',
		run: { via: 'rest', route: 'POST /simulate/fiat/withdrawals', retry: 'never' },
		input: {
			...testEmail,
			amount: withdrawn,
			currency: optional(text({ label: 'Currency', help: 'Currency of the withdrawal', example: 'NGN', assumed })),
			...body,
		},
		...followed,
		palette: 'simulate',
	}),
	'simulation.cryptoWithdrawal': operation({
		...simulated,
		label: 'Simulate Crypto Withdrawal',
		action: 'Simulate crypto withdrawal',
		help: 'Create a test stablecoin withdrawal',
		run: { via: 'rest', route: 'POST /simulate/crypto/withdrawals', retry: 'never' },
		input: {
			...testEmail,
			chain: optional({ ...chain, help: 'Blockchain the coins leave on', assumed }),
			asset: optional({ ...asset, assumed }),
			amount: withdrawn,
			...body,
		},
		...followed,
		palette: 'simulate',
	}),
	'simulation.kybStatus': operation({
		...simulated,
		label: 'Simulate KYB Status',
		action: 'Simulate business verification status',
		help: 'Set the business verification status of a test user',
		run: { via: 'rest', route: 'POST /simulate/kyb/status', retry: 'never' },
		input: {
			...testEmail,
			status: optional(
				text({ label: 'Status', help: 'Business verification status to set', example: 'approved', assumed }),
			),
			...body,
		},
		palette: 'simulate',
	}),
	'simulation.productUpdate': operation({
		...simulated,
		label: 'Simulate Product Update',
		action: 'Simulate product update notification',
		help: 'Insert a test notification',
		run: { via: 'rest', route: 'POST /simulate/notifications/product-updates', retry: 'never' },
		input: {
			...testEmail,
			title: optional(text({ label: 'Title', help: 'Title of the notification', example: 'News', assumed })),
			...body,
		},
		palette: 'simulate',
	}),
};
