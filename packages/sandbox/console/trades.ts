import { byId, element, setText } from './dom';
import { grouped } from './decimal';
import { oncePerFrame } from './frame';
import { rows, textRow } from './rows';
import { timeOfDay } from './time';

/** Most trades on the tape. */
const tapeMax = 40;

export interface Trade {
	id: string;
	price: string;
	quantity: string;
	side: string;
	sequence: number;
	created_at: string;
}

export interface Tape {
	replace(trades: readonly Trade[]): void;
	add(trade: Trade): void;
}

export function tradesPanel(): Tape {
	let tape: Trade[] = [];
	const show = rows<Trade>(byId('trades'), {
		key: (trade) => trade.id,
		create: (trade) => {
			const price = element('td', { class: trade.side === 'buy' ? 'up' : 'down' });
			return textRow([price, element('td'), element('td', { title: trade.created_at })], texts);
		},
		empty: () => element('tr', {}, element('td', { class: 'empty', attributes: { colspan: '3' } }, 'No trade yet.')),
	});
	const draw = oncePerFrame(() => {
		tape = [...new Map(tape.map((trade) => [trade.id, trade])).values()]
			.sort((a, b) => b.sequence - a.sequence)
			.slice(0, tapeMax);
		show(tape);
		setText(byId('last'), grouped(tape[0]?.price ?? '–'));
	});
	draw();
	return {
		replace: (trades) => {
			tape = [...trades];
			draw();
		},
		add: (trade) => {
			tape = [trade, ...tape.slice(0, tapeMax)];
			draw();
		},
	};
}

/** The arrow repeats what the colour says. */
const texts = (trade: Trade): string[] => [
	`${trade.side === 'buy' ? '▲' : '▼'} ${grouped(trade.price)}`,
	grouped(trade.quantity),
	timeOfDay(trade.created_at),
];
