import { control, pageSize } from './control';
import { byId, setText } from './dom';
import { notice } from './notice';
import type { AccountRecord, OrderRecord } from './state';

/** Pages through all finished orders. The newest page follows the state; an older one does not change while it is read. */
export function finishedPages() {
	let offset = 0;
	let older: OrderRecord[] = [];
	let email = '';
	let draw: (page: OrderRecord[]) => void = () => undefined;
	const go = async (to: number) => {
		try {
			const { orders, count } = await control.finished(email, to);
			if (to > 0 && orders.length === 0) return notice('There are no older orders');
			[offset, older] = [to, to === 0 ? [] : orders];
			setText(byId('page'), `${to + 1} to ${to + orders.length} of ${count}`);
			draw(orders);
		} catch (error) {
			notice(error instanceof Error ? error.message : String(error), 'failed');
		}
	};
	byId('older').addEventListener('click', () => void go(offset + pageSize));
	byId('newer').addEventListener('click', () => void go(0));
	return (account: AccountRecord, latest: OrderRecord[], show: (page: OrderRecord[]) => void): OrderRecord[] => {
		if (account.email !== email) {
			[email, offset, older] = [account.email, 0, []];
			setText(byId('page'), '');
		}
		draw = show;
		const isShown = byId('tab-recent').getAttribute('aria-selected') === 'true';
		byId('paging').hidden = !isShown || latest.length < pageSize;
		return offset === 0 ? latest : older;
	};
}
