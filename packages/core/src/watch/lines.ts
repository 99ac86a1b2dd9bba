/** Lines that values cross: which side of a line a value is on, and which crossings are told. Pure. */
import type { ListenerField } from '../catalogue';
import { add, compare, isDecimal, readDecimal, subtract, withoutZeros } from '../decimal';
import { ExchangeError } from '../errors';
import { isItem } from '../wire/payload';

type Side = 'below' | 'above';

/** A line, and which crossings of it by a value are told. */
export interface Line {
	/** Decimal text. */
	amount: string;
	/** Which crossing is told. Default `below`. */
	direction?: Side | 'both';
	/** How far the value must come back before another crossing counts. Decimal text, default nothing. */
	hysteresis?: string;
	/** Whether a value that is past the line at the first look is told too. Default false. */
	initial?: boolean;
}

/** A value crossed a line. */
export interface Crossing {
	/** Identical each time the same crossing is told, and no other one's. */
	eventKey: string;
	/** The side the value is on now. */
	crossing: Side;
	/** The value did not cross: it was past the line at the first look. */
	initial?: true;
	/** The value that crossed, as the service wrote it. */
	value: string;
	/** The value at the look before; null at the first. */
	previous_value: string | null;
}

/** Plain JSON of bounded size, to be stored and passed unchanged to the next look. */
export interface LineState {
	/** Version of this shape. */
	version: 1;
	/** By the name of a line: the side its value is on, the value, and when the service made the answer. */
	lines: Record<string, { side: Side; value: string; at?: number }>;
	/** How many looks learned a side. It never goes back, though lines come and go, so no key comes twice. */
	changes: number;
	/** When the service made the first answer. */
	beganAt?: number;
}

/** One line of a look: its name, and what the answer shows of its value, where it shows one. */
export interface LookedAt<L extends Required<Line> = Required<Line>> {
	name: string;
	line: L;
	shown?: { value: string; at: number | undefined } | undefined;
}

const LINES_MAX = 100;
/** By how much an answer may be older than the one before. One that is older by more is of a clock that was set back. */
const BEHIND_MS_MAX = 600_000;

/**
 * The crossings since the look before, and what to remember. A line that is seen for the first time is told only where it
 * says `initial`. A value that is not shown, and an answer that is older than the last one, change nothing.
 */
export function crossLines<W extends LookedAt>(
	before: LineState,
	looks: readonly W[],
	{ kind, now }: { kind: string; now: number | undefined },
): { told: { look: W; crossing: Crossing }[]; state: LineState; learned: boolean } {
	const began = before.beganAt ?? now;
	const state: LineState = {
		...{ version: 1, lines: {}, changes: before.changes },
		...(began === undefined ? {} : { beganAt: began }),
	};
	const key = (name: string, side: Side): string => `${kind}:${name}:${side}:${began ?? 0}:${before.changes + 1}`;
	const told = looks.flatMap((look) => {
		const known = before.lines[look.name];
		const line = lineAfter(known, look);
		if (line) state.lines[look.name] = line;
		const { direction } = look.line;
		if (!line || (known ? known.side === line.side : !isPast(line.side, look.line))) return [];
		if (direction !== 'both' && direction !== line.side) return [];
		const values = { value: line.value, previous_value: known?.value ?? null };
		const eventKey = key(look.name, line.side);
		return [
			{ look, crossing: { eventKey, crossing: line.side, ...(known ? {} : { initial: true as const }), ...values } },
		];
	});
	const learned = sidesIn(state) !== sidesIn(before);
	if (learned) state.changes += 1;
	return { told, state, learned };
}

type Known = LineState['lines'][string];

function lineAfter(known: Known | undefined, { line, shown }: LookedAt): Known | undefined {
	if (!shown || (known && isOlder(shown.at, known.at))) return known;
	const { value, at } = shown;
	return { side: sideOf(value, line, known?.side), value, ...(at === undefined ? {} : { at }) };
}

const isOlder = (at: number | undefined, than: number | undefined): boolean =>
	at !== undefined && than !== undefined && at < than && than - at <= BEHIND_MS_MAX;

const sidesIn = ({ lines }: LineState): string =>
	Object.entries(lines)
		.map(([name, { side }]) => name + side)
		.join();

/** With the direction `both` either side would be past the line, so `initial` needs a single direction. */
const isPast = (side: Side, { direction, initial }: Required<Line>): boolean => initial && side === direction;

/** A value crosses at the amount, and crosses back further away, by the hysteresis. */
function sideOf(
	value: string,
	{ amount, direction, hysteresis }: Omit<Required<Line>, 'initial'>,
	side: Side | undefined,
): Side {
	if (direction === 'above') {
		if (compare(value, amount) > 0) return 'above';
		return side === 'above' && compare(value, subtract(amount, hysteresis)) > 0 ? 'above' : 'below';
	}
	if (compare(value, amount) < 0) return 'below';
	return side === 'below' && compare(value, add(amount, hysteresis)) < 0 ? 'below' : 'above';
}

/** What a test of a form shows: the crossing that the line asks for, by a value just past it where the real one is not. */
export function exampleCrossing({ name, line, shown }: LookedAt): Crossing & { example: true } {
	const value = shown?.value ?? line.amount;
	const side = sideOf(value, line, undefined);
	const crossing = line.direction === 'both' ? side : line.direction;
	const isThere = shown !== undefined && side === crossing;
	return {
		...{ example: true, eventKey: `example:${name}:${crossing}`, crossing },
		value: isThere ? value : justPast(line.amount, crossing),
		previous_value: isThere ? line.amount : value,
	};
}

/** The amount plus or minus one unit of its last digit. */
function justPast(amount: string, crossing: Side): string {
	const [, fraction = ''] = amount.split('.');
	const unit = fraction === '' ? '1' : `0.${'1'.padStart(fraction.length, '0')}`;
	return crossing === 'below' ? subtract(amount, unit) : add(amount, unit);
}

/** Lines of one kind of value: how their form calls them, and how they are told apart. */
export interface LineKind<L> {
	/** In an error, what is watched. */
	operation: string;
	fields: { amount: ListenerField; hysteresis: ListenerField };
	nameOf(line: L): string;
}

/**
 * Lines with their defaults and their names.
 * @throws ExchangeError `invalid_input` for an amount that is none, one line twice, or more than 100 lines.
 */
export function acceptLines<L extends Line>(
	lines: readonly L[],
	{ operation, fields, nameOf }: LineKind<L>,
): { name: string; line: L & Required<Line> }[] {
	const invalid = (field: string, what: string, advice: string): ExchangeError =>
		new ExchangeError('invalid_input', { operation, field, what, advice });
	/** In an error an amount is called as forms call it. */
	const acceptAmount = (name: 'amount' | 'hysteresis', value: string): string => {
		const { label, example = '' } = fields[name];
		const read = readDecimal(value);
		if ('reason' in read) throw invalid(name, `${label} ${read.reason}`, `Enter an amount such as ${example}`);
		return read.text;
	};
	const accepted = lines.map((line) => {
		const { direction = 'below', hysteresis = '0', initial = false } = line;
		const amount = acceptAmount('amount', line.amount);
		const margin = acceptAmount('hysteresis', hysteresis === '' ? '0' : hysteresis);
		return {
			name: `${nameOf(line)}:${withoutZeros(amount)}`,
			line: { ...line, direction, initial, amount, hysteresis: margin },
		};
	});
	if (accepted.length > LINES_MAX)
		throw invalid('thresholds', `There are more than ${LINES_MAX} thresholds`, 'Watch some of them by another look');
	if (new Set(accepted.map(({ name }) => name)).size < accepted.length)
		throw invalid('thresholds', 'One line is watched twice', 'Watch it once, with the direction Both');
	return accepted;
}

/** What was stored, as far as it can be used. */
export function readLines(stored: unknown): LineState {
	if (!isItem(stored) || !isItem(stored.lines)) return { version: 1, lines: {}, changes: 0 };
	const { changes, beganAt } = stored;
	return {
		...{ version: 1, lines: Object.fromEntries(Object.entries(stored.lines).filter(isKnown)) },
		changes: Number.isSafeInteger(changes) ? (changes as number) : 0,
		...(typeof beganAt === 'number' ? { beganAt } : {}),
	};
}

const isKnown = (entry: [string, unknown]): entry is [string, Known] => {
	const [, line] = entry;
	return isItem(line) && (line.side === 'below' || line.side === 'above') && isDecimal(line.value);
};
