/** Walks through a deposit before going live: where the money goes, a simulated credit, and the balance it leaves. */
import { named } from '@partner-exchange/core';
import { openAccount } from '@partner-exchange/core/node';
import { account } from './account';

async function main(email: string): Promise<void> {
	const { client, close } = openAccount(account);
	const { account_name, account_number, bank_name } = named('depositAccount', await client.wallet.depositAccount({}));
	console.log(`Send NGN to ${account_name}, ${bank_name} ${account_number}.`);

	const { transaction } = await client.simulation.fiatDeposit(
		{ email, amount: '50000.00', currency: 'NGN' },
		{ options: { read_back: true } },
	);
	console.log(transaction ? `Transaction ${transaction.id} is ${transaction.status}.` : 'It did not appear in time.');

	const { balances } = await client.wallet.balances({});
	for (const { currency, available } of balances) console.log(`${currency}: ${available} available`);
	await close();
}

void main(process.argv[2] ?? 'trader@sandbox.test');
