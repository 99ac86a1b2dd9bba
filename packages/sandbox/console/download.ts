import { control } from './control';
import { byId, element } from './dom';
import { act } from './notice';
import type { AccountRecord } from './state';

/** Records asked for at a time. */
const pageMax = 200;
/** Most records in a file. */
const rowsMax = 10_000;

/** Orders and fills of the account shown, newest first, as files that a spreadsheet opens. */
export function downloads(): (account: AccountRecord) => void {
	let account: AccountRecord | undefined;
	offer('save-orders', 'orders', async (email) => {
		const finished = await allOf(async (at) => (await control.finished(email, at, pageMax)).orders);
		const known = new Set(finished.map(({ id }) => id));
		return [...(account?.orders.filter(({ id }) => !known.has(id)) ?? []), ...finished];
	});
	offer('save-fills', 'fills', async (email) => allOf(async (at) => (await control.fills(email, at, pageMax)).fills));
	return (shown) => void (account = shown);
}

function offer(id: string, name: string, read: (email: string) => Promise<object[]>): void {
	const press = byId<HTMLButtonElement>(id);
	const save = async (): Promise<void> => {
		const email = byId<HTMLSelectElement>('account').value;
		const rows = await read(email);
		if (rows.length === 0) throw new Error(`There are no ${name} yet`);
		const href = URL.createObjectURL(new Blob([table(rows)], { type: 'text/csv' }));
		element('a', { attributes: { href, download: `${name}.csv` } }).click();
		URL.revokeObjectURL(href);
	};
	press.addEventListener('click', () => void act(press, save, `Saved as ${name}.csv, at most the latest ${rowsMax}`));
}

async function allOf<Row>(page: (offset: number) => Promise<Row[]>): Promise<Row[]> {
	const rows: Row[] = [];
	for (let more = await page(0); more.length > 0 && rows.length < rowsMax; more = await page(rows.length))
		rows.push(...more);
	return rows.slice(0, rowsMax);
}

function table(rows: readonly object[]): string {
	const names = Object.keys(rows[0]!);
	const lines = rows.map((row) => names.map((name) => cell((row as Record<string, unknown>)[name])));
	return [names, ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

/** A spreadsheet takes a text that begins with one of these signs for a formula, and anybody may name an order. */
const cell = (value: unknown): string =>
	`"${String(value ?? '')
		.replace(/^[=+\-@\t\r]/, "'$&")
		.replaceAll('"', '""')}"`;
