import { byId, element, setText } from './dom';
import { oncePerFrame } from './frame';
import { compare, difference, grouped, isZero, runningTotals, shares } from './decimal';

/** Levels shown on each side. Empty rows are kept, so that the panel never jumps. */
const levelsShown = 11;
/** Levels kept in memory per side. */
const levelsMax = 200;

interface Level {
	price: string;
	quantity: string;
}

/** The whole book in a snapshot; in an update the levels that changed, with quantity zero where one is gone. */
export interface BookMessage {
	bids: Level[];
	asks: Level[];
	/** One more with every update, so that a missing one shows. */
	sequence: number;
}

export interface Book {
	replace(message: BookMessage): void;
	change(message: BookMessage): void;
}

/** `refresh` asks for a new snapshot after an update went missing. */
export function bookPanel(refresh: () => void): Book {
	let sequence: number | undefined;
	let bids: Level[] = [];
	let asks: Level[] = [];
	const askRows = levelRows('asks').reverse();
	const bidRows = levelRows('bids');
	const draw = oncePerFrame(() => {
		const nearest = { asks: asks.slice(0, levelsShown), bids: bids.slice(0, levelsShown) };
		const totals = { asks: totalsOf(nearest.asks), bids: totalsOf(nearest.bids) };
		const whole = [totals.asks.at(-1) ?? '0', totals.bids.at(-1) ?? '0'].sort(compare)[1] ?? '0';
		fill(askRows, nearest.asks, totals.asks, whole);
		fill(bidRows, nearest.bids, totals.bids, whole);
		drawMiddle(bids[0], asks[0]);
	});
	const replace = (message: BookMessage) => {
		sequence = message.sequence;
		bids = message.bids.slice(0, levelsMax);
		asks = message.asks.slice(0, levelsMax);
		draw();
	};
	const change = (message: BookMessage) => {
		// Nothing is drawn upon a book with a hole: the snapshot asked for makes it whole again.
		if (sequence === undefined || message.sequence <= sequence) return;
		if (message.sequence > sequence + 1) {
			sequence = undefined;
			return refresh();
		}
		sequence = message.sequence;
		bids = merge(bids, message.bids, -1);
		asks = merge(asks, message.asks, 1);
		draw();
	};
	draw();
	return { replace, change };
}

/** A changed level with quantity zero is a level that went away. */
function merge(levels: readonly Level[], changed: readonly Level[], direction: 1 | -1): Level[] {
	const prices = new Set(changed.map((level) => level.price));
	const others = levels.filter((level) => !prices.has(level.price));
	return [...others, ...changed.filter((level) => !isZero(level.quantity))]
		.sort((a, b) => direction * compare(a.price, b.price))
		.slice(0, levelsMax);
}

const totalsOf = (levels: readonly Level[]): string[] => runningTotals(levels.map((level) => level.quantity));

function drawMiddle(bid: Level | undefined, ask: Level | undefined): void {
	const middle = bid && ask ? `Spread ${grouped(difference(ask.price, bid.price))}` : 'No spread: one side is empty';
	setText(byId('middle'), bid || ask ? middle : 'The book is empty. Place an order or start a scenario.');
}

function levelRows(id: string): HTMLTableRowElement[] {
	const made = Array.from({ length: levelsShown }, () =>
		element('tr', {}, element('td'), element('td'), element('td')),
	);
	byId(id).append(...made);
	return made;
}

function fill(
	rows: readonly HTMLTableRowElement[],
	levels: readonly Level[],
	totals: readonly string[],
	whole: string,
): void {
	const widths = shares(totals, whole);
	rows.forEach((row, index) => {
		const level = levels[index];
		const texts = level ? [grouped(level.price), grouped(level.quantity), grouped(totals[index] ?? '')] : ['', '', ''];
		texts.forEach((text, cell) => setText(row.cells[cell] as HTMLElement, text));
		row.style.setProperty('--depth', `${level ? (widths[index] ?? 0) : 0}%`);
	});
}
