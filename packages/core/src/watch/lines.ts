/** Lines that values cross: which side of a line a value is on, which crossings are reported, and a poll of them. */
import { listeners, type ListenerField } from '../catalogue';
import type { UntypedClient } from '../client/contract';
import { add, compare, isDecimal, isZero, readDecimal, subtract, withoutZeros } from '../decimal';
import { ExchangeError, isExchangeError } from '../errors';
import { assertGiven, assertKind, flag, aList, oneOf, readElsewhere, type Kind } from '../given';
import { isItem, type Item } from '../wire/payload';
import { acceptPoll, isTime, isWhole, openState, STATE_VERSION, type PollOptions } from './stored-state';

type Side = 'below' | 'above';

/** A line that a value may cross, and which crossings are reported. */
export interface Line {
	/** Decimal text. */
	amount: string;
	/** Which crossing is reported. Default `below`. */
	direction?: Side | 'both';
	/**
	 * How far past the line the value must come back before another crossing counts; with the direction `both` either way.
	 * Decimal text, default nothing.
	 */
	hysteresis?: string;
	/** Whether a value that is past the line at the first look is reported too. Default false. */
	initial?: boolean;
}

/** A value crossed a line. */
interface Crossing {
	/** Identical each time the same crossing is reported, and different for every other crossing. */
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
	version: typeof STATE_VERSION;
	/** By the name of a line: the side its value is on, the value, and when the service made the answer. */
	lines: Record<string, { side: Side; value: string; at?: number }>;
	/** How many looks learned a side. It never goes back, though lines come and go, so no key comes twice. */
	changes: number;
	/** When the first look was made, which no other state has: it is a part of the keys. */
	beganAt: number;
}

/** A line that says of which field of its record the value is. */
interface FieldLine extends Line {
	field?: string;
}

/** A line with its defaults. */
export type LineWithDefaults<L> = L & Required<FieldLine>;

/** Lines of one kind of value: how their form calls them, how one is distinguished from another, and what shows them. */
export interface LineKind<L extends FieldLine, F extends Item> {
	/** What the values are, in keys and sentences. */
	value: 'balance' | 'rate';
	form: typeof listeners.balances | typeof listeners.rates;
	/** The field that says whose value it is. */
	whose: keyof L & string;
	/** Whether such a value is never zero. */
	isPositive?: boolean;
	/** A line is the same one however it is written, and whatever else is changed of it. */
	nameOf(line: LineWithDefaults<L>): string;
	/** Begins a look, which reads what shows the value of each line; of one that is new, it refuses what cannot be right. */
	look(client: Pick<UntypedClient, 'call'>, signal?: AbortSignal): ReadLine<L, F>;
}

type ReadLine<L, F> = (
	line: LineWithDefaults<L>,
	isNew: boolean,
) => Promise<Pick<LineReading<L, F>, 'shown' | 'facts'>>;

/** A line as it is watched: under its name, with its defaults. */
interface NamedLine<L> {
	name: string;
	line: LineWithDefaults<L>;
}

/** One line of a look: what the answer shows of its value, where it shows one, and what an event tells beside it. */
interface LineReading<L, F> extends NamedLine<L> {
	shown: { value: string; at: number | undefined } | undefined;
	facts: F;
}

/** What an event says of a crossing: the line that was crossed, and what the look found beside the value. */
export type LineEvent<L, F> = Crossing & { threshold: LineWithDefaults<L> } & F;

/** Where warnings of a look go, and in whose words. */
interface LookContext {
	now: number;
	warn(text: string): void;
	isForm?: true | undefined;
}

/** More lines than this are refused, because each may need a ticker of its own from the service. */
const LINES_MAX = 100;
/** Servers of one service lag behind each other by less. What is older than that is said. */
const BEHIND_MS_SAID = 600_000;

/**
 * Looks once at each line, and returns the crossings since the poll before.
 *
 * @throws ExchangeError `invalid_input` for a line that could never be crossed twice, and for what is no state; what `look` throws, where no line can be looked at.
 */
export async function pollLines<L extends FieldLine, F extends Item>(
	kind: LineKind<L, F>,
	client: Pick<UntypedClient, 'call' | 'now'>,
	{ stored, thresholds, options }: { stored: unknown; thresholds: readonly L[]; options: PollOptions },
): Promise<{ events: LineEvent<L, F>[]; state: LineState; learned: boolean }> {
	const { signal, warn, isForm } = acceptPoll(client, options);
	const accepted = acceptLines(thresholds, kind, isForm);
	const before = openState<LineState>(stored, isLineState, warn);
	const look = kind.look(client, signal);
	const looks = await readEach(accepted, before, (each, isNew) => look(each.line, isNew), warn);
	return crossLines(kind, before, looks, { now: client.now(), warn, isForm });
}

/** What a test of a form shows: the crossing that a line asks for. */
export async function exampleOfLine<L extends FieldLine, F extends Item>(
	kind: LineKind<L, F>,
	client: Pick<UntypedClient, 'call'>,
	line: L,
): Promise<LineEvent<L, F> & Example> {
	const [accepted] = acceptLines([line], kind, true);
	return exampleCrossing(kind, { ...accepted!, ...(await kind.look(client)(accepted!.line, true)) });
}

/**
 * The crossings since the look before, and what to remember. A line that is seen for the first time is reported only
 * where it says `initial`. A value that is not shown, and an answer that is older than the last one, change nothing.
 */
function crossLines<L extends FieldLine, F extends Item>(
	kind: LineKind<L, F>,
	stored: LineState | undefined,
	looks: readonly LineReading<L, F>[],
	{ now, warn, isForm }: LookContext,
): { events: LineEvent<L, F>[]; state: LineState; learned: boolean } {
	const before = stored ?? { version: STATE_VERSION, lines: {}, changes: 0, beganAt: now };
	const { version, changes, beganAt } = before;
	const state: LineState = { version, lines: {}, changes, beganAt };
	const key = (name: string, side: Side): string => `${kind.value}:${name}:${side}:${beganAt}:${changes + 1}`;
	const events = looks.flatMap((look) => {
		const known = lineBefore(before.lines[look.name], look.line);
		const after = lineAfter(known, look);
		if (!after) return [];
		state.lines[look.name] = after;
		const { side, value } = after;
		const { direction } = look.line;
		if (!known && side === direction && !look.line.initial) warn(alreadyPast(kind, look, isForm));
		if (known ? known.side === side : !isPast(side, look.line)) return [];
		if (direction !== 'both' && direction !== side) return [];
		const crossing = { eventKey: key(look.name, side), crossing: side, value, previous_value: known?.value ?? null };
		return [eventOf(look, known ? crossing : { ...crossing, initial: true as const })];
	});
	const behind = looks.find(({ name, shown }) => lagsBehind(shown?.at, before.lines[name]?.at));
	if (behind) warn(behindText(before.lines[behind.name]!.at!));
	const learned = sidesIn(state) !== sidesIn(before);
	if (learned) state.changes += 1;
	return { events, state, learned };
}

/**
 * Says that the value is past a new line already, because its author would otherwise wait for a report that does not
 * come.
 */
function alreadyPast<L extends FieldLine, F extends Item>(
	{ value, whose }: LineKind<L, F>,
	{ line }: NamedLine<L>,
	isForm: true | undefined,
): string {
	const initial = isForm ? listeners.balances.options.initial.label : 'initial';
	return `The ${value} of ${String(line[whose])} is ${line.direction} ${line.amount} already: that is reported only with ${initial}, and otherwise it is reported when it crosses the next time`;
}

const eventOf = <C extends Crossing, L, F extends Item>({ line, facts }: LineReading<L, F>, crossing: C) => ({
	...crossing,
	threshold: line,
	...facts,
});

type Known = LineState['lines'][string];

/** The line as it is now judges the value of the look before, too: no change of a setting is a crossing. */
const lineBefore = (known: Known | undefined, line: Required<Line>): Known | undefined =>
	known && { ...known, side: sideOf(known.value, line, known.side) };

function lineAfter(
	known: Known | undefined,
	{ line, shown }: Pick<LineReading<Line, Item>, 'line' | 'shown'>,
): Known | undefined {
	if (!shown || (known && isBefore(shown.at, known.at))) return known;
	const { value, at } = shown;
	return { side: sideOf(value, line, known?.side), value, ...(at === undefined ? {} : { at }) };
}

const isBefore = (at: number | undefined, than: number | undefined): boolean =>
	at !== undefined && than !== undefined && at < than;

const lagsBehind = (at: number | undefined, last: number | undefined): boolean =>
	last !== undefined && isBefore(at, last - BEHIND_MS_SAID);

const behindText = (last: number): string =>
	`The service dates its answers before its last one, of ${new Date(last).toISOString()}, so they change nothing. Where its clock was set back, crossings are reported again once it is past that time, or by a copy of the node in its place, which begins from now`;

const sidesIn = ({ lines }: LineState): string =>
	Object.entries(lines)
		.map(([name, { side }]) => name + side)
		.join();

/** With the direction `both` either side would be past the line, so `initial` needs a single direction. */
const isPast = (side: Side, { direction, initial }: Required<Line>): boolean => initial && side === direction;

/**
 * A value crosses at the amount if that crossing is reported, and comes back only further away, by the hysteresis.
 * Where both directions are reported, each is the way back of the other.
 */
function sideOf(value: string, { amount, direction, hysteresis }: Required<Line>, side: Side | undefined): Side {
	let crossedAt = amount;
	if (side === 'above' && direction !== 'below') crossedAt = subtract(amount, hysteresis);
	if (side === 'below' && direction !== 'above') crossedAt = add(amount, hysteresis);
	const compared = compare(value, crossedAt);
	return compared > 0 || (compared === 0 && direction !== 'above') ? 'above' : 'below';
}

/** The marks of an example; and where the value is past its line already, in words what is reported of that. */
export interface Example {
	example: true;
	already_past?: string;
}

/** A value just past the line stands for the real one where that is not past it. */
function exampleCrossing<L extends FieldLine, F extends Item>(
	kind: LineKind<L, F>,
	look: LineReading<L, F>,
): LineEvent<L, F> & Example {
	const { name, line, shown } = look;
	const value = shown?.value ?? line.amount;
	const side = sideOf(value, line, undefined);
	const crossing = line.direction === 'both' ? side : line.direction;
	const isThere = shown !== undefined && side === crossing;
	return eventOf(look, {
		example: true as const,
		...(isThere && line.direction !== 'both' && !line.initial ? { already_past: alreadyPast(kind, look, true) } : {}),
		eventKey: `example:${name}:${crossing}`,
		crossing,
		value: isThere ? value : justPast(line.amount, value, crossing),
		previous_value: isThere ? line.amount : value,
	});
}

/** The amount plus or minus one unit of the last digit that it or the value has. */
function justPast(amount: string, value: string, crossing: Side): string {
	const [, fraction = ''] = add(amount, value).split('.');
	const unit = fraction === '' ? '1' : `0.${'1'.padStart(fraction.length, '0')}`;
	return crossing === 'below' ? subtract(amount, unit) : add(amount, unit);
}

/** What cannot be right in a line, in the words of its form. */
export const invalidLine = (operation: string, field: string, what: string, advice: string): ExchangeError =>
	new ExchangeError('invalid_input', { operation, field, what, advice });

/** Refuses what is no line before anything is read of it. */
function assertLines<L extends FieldLine, F extends Item>(lines: readonly L[], { form, whose }: LineKind<L, F>): void {
	const operation = form.label;
	assertKind(lines, aList, { of: 'The thresholds', field: 'thresholds', operation });
	const parts = {
		amount: readElsewhere,
		hysteresis: readElsewhere,
		direction: oneOf('below', 'above', 'both'),
		initial: flag,
		field: oneOf(...form.options.field.values),
		[whose]: readElsewhere,
	} as Readonly<Record<keyof L, Kind>>;
	for (const line of lines) assertGiven(line, parts, { of: 'A threshold', operation });
}

/**
 * Lines with their defaults and their names.
 * @throws ExchangeError `invalid_input` for a line that does not say whose value it is, or that could never be crossed
 * twice; for one line twice, or more than 100 lines.
 */
function acceptLines<L extends FieldLine, F extends Item>(
	lines: readonly L[],
	kind: LineKind<L, F>,
	isForm = false,
): NamedLine<L>[] {
	assertLines(lines, kind);
	const refuse = (what: string, advice: string) => invalidLine(kind.form.label, 'thresholds', what, advice);
	const accepted = lines.map((line) => acceptLine(line, kind, isForm));
	if (accepted.length > LINES_MAX)
		throw refuse(`There are more than ${LINES_MAX} thresholds`, 'Watch some of them by another look');
	if (new Set(accepted.map(({ name }) => name)).size < accepted.length)
		throw refuse('One line is watched twice', 'Watch it once, with the direction Both');
	return accepted;
}

function acceptLine<L extends FieldLine, F extends Item>(
	line: L,
	{ form, whose, isPositive, nameOf }: LineKind<L, F>,
	isForm: boolean,
): NamedLine<L> {
	const { threshold: ofAmount, [whose]: ofWhose } = form.fields as Record<string, ListenerField>;
	const { hysteresis: ofMargin } = form.options as Record<string, ListenerField>;
	const refuse = (field: string, what: string, advice: string) => invalidLine(form.label, field, what, advice);
	/** A script has no form to look at. */
	const called = ({ label }: ListenerField, name: string): string => (isForm ? label : `${label} (${name})`);
	const acceptAmount = (field: string, described: ListenerField, value: string): string => {
		const { example = '' } = described;
		const read = readDecimal(value);
		if ('reason' in read)
			throw refuse(
				field,
				`${called(described, field)} ${read.reason}`,
				`Enter ${read.nearest ?? `an amount such as ${example}`}`,
			);
		return read.text;
	};
	const { [whose]: named, direction = 'below', initial = false, field = form.options.field.default } = line;
	if (typeof named !== 'string' || named.trim() === '')
		throw refuse(whose, `${called(ofWhose!, whose)} is missing`, `Enter one such as ${ofWhose!.example}`);
	const amount = acceptAmount('amount', ofAmount!, line.amount);
	const hysteresis = acceptAmount('hysteresis', ofMargin!, line.hysteresis || '0');
	if (isPositive && isZero(amount))
		throw refuse('amount', `${called(ofAmount!, 'amount')} is zero, which is never crossed`, `Enter one above zero`);
	if (isPositive && direction !== 'below' && compare(hysteresis, amount) >= 0)
		throw refuse(
			'hysteresis',
			`${called(ofMargin!, 'hysteresis')} is not smaller than ${ofAmount!.label}, so only one crossing would ever count`,
			`Enter one such as ${ofMargin!.example}`,
		);
	const defaults = { direction, initial, field, amount, hysteresis };
	const whole = { ...line, ...defaults, [whose]: named.trim() } as LineWithDefaults<L>;
	return { name: `${nameOf(whole)}:${withoutZeros(amount)}`, line: whole };
}

/**
 * Looks at each line. What fails for one of them is that one's: it stays as it is and is named, and the others are
 * reported.
 *
 * @throws What failed first, where no line can be looked at, and what cannot be right in a line that is new.
 */
async function readEach<L extends FieldLine, F extends Item>(
	lines: readonly NamedLine<L>[],
	before: LineState | undefined,
	look: (line: NamedLine<L>, isNew: boolean) => ReturnType<ReadLine<L, F>>,
	warn: (text: string) => void,
): Promise<LineReading<L, F>[]> {
	const failed: ExchangeError[] = [];
	const looks: LineReading<L, F>[] = [];
	for (const each of lines) {
		const isNew = !before?.lines[each.name];
		try {
			looks.push({ ...each, ...(await look(each, isNew)) });
		} catch (error) {
			if (!isExchangeError(error) || (error.code === 'invalid_input' && isNew)) throw error;
			if (failed.push(error) === lines.length) throw failed[0]!;
			looks.push({ ...each, shown: undefined, facts: {} as F });
			warn(
				`Threshold ${each.name} cannot be read (${error.what}): the next poll reads it again, and all others are reported`,
			);
		}
	}
	return looks;
}

const isLineState = ({ lines, changes, beganAt }: Item): boolean =>
	isItem(lines) && Object.values(lines).every(isKnown) && isWhole(changes) && isTime(beganAt);

const isKnown = (line: unknown): boolean =>
	isItem(line) &&
	(line.side === 'below' || line.side === 'above') &&
	isDecimal(line.value) &&
	(line.at === undefined || isTime(line.at));
