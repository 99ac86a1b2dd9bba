import { control } from './control';
import { button, byId, element, setText } from './dom';
import { grouped, isZero } from './decimal';
import { finishedPages } from './paging';
import { act } from './notice';
import { rows, textRow, type Row } from './rows';
import type { AccountRecord, OrderRecord, RecipientRecord, TransactionRecord } from './state';
import { bothTimes, dayAndTime, timeHeading } from './time';
import { tabs, type Tab } from './tabs';

const finished = new Set(['filled', 'cancelled', 'rejected', 'expired']);

/** The tabs below the balances: what the account has open, did, moved and saved. */
export function recordsPanel(changed: () => void): (account: AccountRecord) => void {
	const open = orders('No open order. One placed by a flow appears here within two seconds.', changed);
	const recent = orders('No finished order yet.', changed);
	const paging = finishedPages();
	const transactions = table(
		transactionColumns,
		transactionTexts,
		'No transaction yet. Simulated deposits appear here.',
	);
	const recipients = table(recipientColumns, recipientTexts, 'No saved recipient yet.');
	const all: Tab[] = [
		{ id: 'open', label: 'Open orders', node: open.node },
		{ id: 'recent', label: 'Finished orders', node: recent.node },
		{ id: 'transactions', label: 'Transactions', node: transactions.node },
		{ id: 'recipients', label: 'Recipients', node: recipients.node },
	];
	const count = tabs(byId('tabs'), byId('records'), all);
	return (account) => {
		const isOpen = (order: OrderRecord) => !finished.has(order.status);
		count('open', open.show(account.orders.filter(isOpen)));
		const page = paging(
			account,
			account.orders.filter((order) => !isOpen(order)),
			(rows) => recent.show(rows),
		);
		count('recent', recent.show(page));
		count('transactions', transactions.show(account.transactions));
		count('recipients', recipients.show(account.recipients));
	};
}

interface Table<Item> {
	node: HTMLElement;
	/** Shows the items and tells how many there are. */
	show(items: readonly Item[]): number;
}

/** `Quantity>` is a column of numbers, set flush right. */
function table<Item extends { id: string }>(
	columns: readonly string[],
	texts: (item: Item) => string[],
	empty: string,
): Table<Item> {
	const side = (column: string) => (column.endsWith('>') ? 'amount' : 'text');
	const cells = () => columns.map((column) => element('td', { class: side(column) }));
	return filled(columns, empty, (item) => {
		const row = textRow<Item>(cells(), texts);
		row.node.title = item.id;
		return row;
	});
}

function filled<Item extends { id: string }>(
	columns: readonly string[],
	empty: string,
	create: (item: Item) => Row<Item>,
): Table<Item> {
	const head = columns.map((column) =>
		element(
			'th',
			{ class: column.endsWith('>') ? 'amount' : 'text', attributes: { scope: 'col' } },
			column.replace('>', ''),
		),
	);
	const body = element('tbody');
	const node = element('table', {}, element('thead', {}, element('tr', {}, ...head)), body);
	const nothing = () =>
		element('tr', {}, element('td', { class: 'empty', attributes: { colspan: String(columns.length) } }, empty));
	const show = rows<Item>(body, { key: (item) => item.id, create, empty: nothing });
	return {
		node,
		show: (items) => {
			show(items);
			return items.length;
		},
	};
}

const orderColumns = [
	timeHeading,
	'Client order id',
	'Side',
	'Type',
	'Price>',
	'Quantity>',
	'Filled>',
	'Average>',
	'Status',
];

function orders(empty: string, changed: () => void): Table<OrderRecord> {
	return filled(orderColumns, empty, (first) => {
		const [status, reason] = [element('span', { class: 'chip' }), element('span', { class: 'quiet' })];
		const plain = [
			element('td', { title: first.created_at }),
			element('td', { class: 'long' }),
			element('td', { class: first.side === 'buy' ? 'up' : 'down' }),
			element('td'),
		];
		const amounts = ['', '', '', ''].map(() => element('td', { class: 'amount' }));
		const row = textRow<OrderRecord>([...plain, ...amounts], orderTexts);
		const cancel = button(
			'Cancel',
			() => void act(cancel, () => control.cancel(target(first)), 'Cancel asked for').then(changed),
			{
				class: 'small',
				attributes: { 'aria-label': `Cancel order ${first.client_order_id || first.id}` },
			},
		);
		row.node.append(element('td', {}, status, ' ', reason, ' ', cancel));
		row.node.title = `Order ${first.id}`;
		return {
			node: row.node,
			update: (order) => {
				row.update(order);
				setText(status, order.status.replaceAll('_', ' '));
				status.dataset.status = order.status;
				cancel.hidden = finished.has(order.status);
				setText(reason, order.reject_reason ?? order.cancel_reason ?? '');
			},
		};
	});
}

const target = ({ id, pair_id }: OrderRecord) => ({
	email: byId<HTMLSelectElement>('account').value,
	order_id: id,
	pair_id,
});

const orderTexts = (order: OrderRecord): string[] => [
	bothTimes(order.created_at),
	order.client_order_id || '–',
	order.side,
	[order.order_type, order.order_type === 'market' ? null : order.time_in_force].filter(Boolean).join(' '),
	order.price === null ? 'market' : grouped(order.price),
	grouped(order.quantity),
	grouped(order.filled_quantity),
	isZero(order.filled_quantity) ? '–' : grouped(order.avg_fill_price),
];

const transactionColumns = [timeHeading, 'Kind', 'Rail', 'Currency', 'Amount>', 'Status'];

const transactionTexts = (transaction: TransactionRecord): string[] => [
	bothTimes(transaction.created_at, dayAndTime),
	transaction.type,
	transaction.rail,
	transaction.currency,
	grouped(transaction.amount),
	transaction.status,
];

const recipientColumns = ['Label', 'Kind', 'Currency', 'Account or address'];

const recipientTexts = (recipient: RecipientRecord): string[] => [
	recipient.label,
	recipient.recipient_type,
	recipient.currency,
	[recipient.bank_name ?? recipient.chain, recipient.account_number ?? recipient.crypto_address]
		.filter(Boolean)
		.join(' · '),
];
