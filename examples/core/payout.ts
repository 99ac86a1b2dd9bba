/** Saves a bank account under its confirmed holder, sends test money there, and waits until it has arrived or not. */
import { isExchangeError } from '@partner-exchange/core';
import { openAccount } from '@partner-exchange/core/node';
import { account } from './account';

async function main(email: string, label: string): Promise<void> {
	const { client, close } = openAccount(account);
	try {
		const saved = await client.recipient.create(
			{ recipient_type: 'fiat', currency: 'NGN', label, bank_code: '058', account_number: '0123456789' },
			{ options: { verify_account: true } },
		);
		console.log(saved.label, 'is', saved.account_name);
		const sent = await client.simulation.fiatWithdrawal(
			{ email, amount: '5000.00', currency: 'NGN' },
			{ options: { wait_settled: true } },
		);
		console.log('5000.00 NGN:', sent.transaction?.status ?? 'not seen yet');
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		// Money that may have been sent is never sent again before somebody looked.
		console.log(error.code === 'outcome_unknown' ? `Look before you pay again: ${error.message}` : error.message);
	} finally {
		await close();
	}
}

void main(process.argv[2] ?? 'trader@sandbox.test', process.argv[3] ?? 'Landlord');
