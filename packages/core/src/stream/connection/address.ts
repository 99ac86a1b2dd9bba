import type { Account } from '../../account';

/** The address of the stream. Public topics are read without the key. (Interface, part 5.) */
export function streamUrl(account: Account, keyed: boolean): string {
	const url = new URL(account.wsUrl);
	if (keyed) url.searchParams.set('token', account.apiKey);
	return url.href;
}
