import { candleChart } from './chart';
import { control } from './control';
import { button, byId } from './dom';

/** Interface, part 4: the intervals of the candles route. */
const intervals = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
/** A burst of trades redraws the chart once. */
const burstMs = 1_500;
/** Without trades the chart still moves on with the clock. */
const idleMs = 15_000;

export interface Candles {
	/** Something changed: read again, soon but not for every change. */
	stale(): void;
	pair(pair: string): void;
}

export function candlesPanel(): Candles {
	const show = candleChart();
	let interval: string = '1m';
	let pair = '';
	let timer: ReturnType<typeof setTimeout> | undefined;
	let dueAt = Infinity;

	const soon = (ms: number) => {
		const at = performance.now() + ms;
		if (at >= dueAt) return;
		clearTimeout(timer);
		dueAt = at;
		timer = setTimeout(() => void read(), ms);
	};
	const read = async () => {
		dueAt = Infinity;
		const wanted = interval;
		if (pair && !document.hidden) {
			// A failure shows in the poll of the state, which asks the same sandbox far more often.
			const answer = await control.candles(pair, wanted).catch(() => null);
			if (answer && wanted === interval) show(answer.candles);
		}
		soon(idleMs);
	};
	choice(interval, (chosen) => {
		interval = chosen;
		soon(0);
	});
	return {
		stale: () => soon(burstMs),
		pair: (current) => {
			if (current === pair) return;
			pair = current;
			soon(0);
		},
	};
}

function choice(chosen: string, choose: (interval: string) => void): void {
	const group = byId('intervals');
	const buttons = intervals.map((interval) =>
		button(interval, () => {
			press(interval);
			choose(interval);
		}),
	);
	const press = (interval: string) =>
		buttons.forEach((each) => each.setAttribute('aria-pressed', String(each.textContent === interval)));
	group.append(...buttons);
	press(chosen);
}
