/** Fills in a sandbox, made over its API as partners make them, and the expected records. */

const BUYER = 'sandbox-key';
const SELLER = 'sandbox-key-second';
const PAGE_SIZE = 500;

interface Address {
	baseUrl: string;
}

let made = 0;

/**
 * Two accounts trade with each other. A seller's order may be left over when the service ends; a later buyer matches
 * it.
 */
export async function makeFill(sandbox: Address, price = '1500.00'): Promise<void> {
	made += 1;
	await order(sandbox, SELLER, { side: 'sell', price });
	await order(sandbox, BUYER, { side: 'buy', price });
}

async function order(
	{ baseUrl }: Address,
	key: string,
	{ side, price }: Record<'side' | 'price', string>,
): Promise<void> {
	const body = JSON.stringify({ pair_id: 'USD/NGN', side, order_type: 'limit', quantity: '1.00', price });
	const headers = { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': `fill-${side}-${made}` };
	const answer = await fetch(`${baseUrl}/partner/exchange/orders`, { method: 'POST', headers, body });
	if (!answer.ok) throw new Error(`The sandbox refused an order: ${await answer.text()}`);
}

/** The IDs of all fills of the buyer. */
export async function fillsIn({ baseUrl }: Address): Promise<string[]> {
	const ids: string[] = [];
	for (;;) {
		const path = `${baseUrl}/partner/exchange/fills?limit=${PAGE_SIZE}&offset=${ids.length}`;
		const answer = await fetch(path, { headers: { 'x-api-key': BUYER } });
		const { data } = (await answer.json()) as { data: { fills: { id: string }[] } };
		if (data.fills.length === 0) return ids;
		ids.push(...data.fills.map(({ id }) => id));
	}
}
