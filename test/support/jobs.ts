/** The whole jobs among the examples: each is done in a complete n8n, and shown with a picture in the guide. */
export const jobs = [
	'alert-on-fill',
	'low-balance-top-up',
	'orders-from-rows',
	'approve-large-order',
	'buy-every-week',
	'sell-deposit',
	'keep-ngn-above-line',
	'daily-statement',
	'settle-unknown',
	'sandbox-rehearsal',
] as const;
