import { remedies, type GapNotice, type IncompleteFillsNotice } from '../catalogue';
import type { StreamEvent } from './contract';

/** What is told beside the events, as one sentence for logs; nothing of an event itself. */
export function noticeText({ kind, data }: Pick<StreamEvent, 'kind' | 'data'>): string | undefined {
	switch (kind) {
		case undefined:
			return undefined;
		case 'gap': {
			const { may_be_missing, done } = data as GapNotice;
			return `${may_be_missing} may be missing. ${remedies[done]}`;
		}
		case 'incomplete_fills': {
			const { order_id, counted, expected, done } = data as IncompleteFillsNotice;
			return `Order ${order_id} says that ${expected} was filled, its fills add up to ${counted}. ${remedies[done]}`;
		}
	}
}
