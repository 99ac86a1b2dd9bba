import type { Item } from '@partner-exchange/core';
import type { Random } from '../support/random';
import { SIMULATION_BEGINS, type VirtualTime } from '../support/time';
import type { Host, Order } from './host';
import { FIRST_ADDRESS } from './service';
import { drawGuards } from './guards';
import { executionNaming, messageNaming, type Naming } from './naming';
import type { Plant } from './plants';
import type { Record, Sent } from './record';
import { drawWait, terms } from './terms';
import { KEYS_FORGOTTEN_MS, type Weather } from './weather';

/** The requests that people and flows make of the client in one simulation. */
export interface Story {
	/** All requests have been made by this time. */
	endsAt: number;
	/** The intents that were requested at least once. */
	begun(): readonly Order[];
}

interface Telling {
	time: VirtualTime;
	chance: Random;
	weather: Weather;
	host: Host;
	/** A second process of the same host. */
	other: Host;
	/** A third one, which does nothing before the end. */
	fresh: Host;
	keepsJournal: boolean;
	/** Whether the host's process is running. */
	isUp: () => boolean;
	plant: Plant;
	record: Record;
}

const INTENTS_MAX = 3;
const RETRIES_MAX = 3;
const ASKED_WITHIN = 0.7;
/** Places, repeats, cancels and replaces orders as flows do, and crashes and restarts the process meanwhile. */
export function tell(telling: Telling): Story {
	const { chance, weather } = telling;
	const nameOf = namesOf(telling);
	const wishes = Array.from({ length: 1 + chance.below(INTENTS_MAX) }, (_, number) =>
		wish(telling, number, nameOf?.(number)),
	);
	let endsAt = weather.healsAt;
	for (const { at, downMs } of weather.crashes) {
		crash(telling, at, downMs, wishes);
		endsAt = Math.max(endsAt, at + downMs);
	}
	if (weather.rotatesAt !== undefined) rotate(telling, weather.rotatesAt);
	if (weather.ordersPerDay !== undefined || weather.valuePerDay !== undefined) placeElsewhere(telling);
	if (weather.movesAt && telling.keepsJournal) move(telling, weather.movesAt);
	if (weather.crowd) crowd(telling, weather.crowd);
	const { burst } = weather.dialect.others ?? {};
	if (burst) endsAt = Math.max(endsAt, placeInBurst(telling, burst));
	return { endsAt, begun: () => wishes.filter(({ begun }) => begun).map(({ order }) => order) };
}

/** In half of the runs the host derives names with the shipped code. */
function namesOf({ chance, keepsJournal, plant }: Telling): ((number: number) => Naming) | undefined {
	const draws = chance.fork('naming');
	if (draws.happens(0.5)) return undefined;
	return keepsJournal ? messageNaming : executionNaming(draws, plant.naming);
}

/** Another program places an order of its own, which counts under the limits as well. */
function placeElsewhere({ time, chance, weather, other }: Telling): void {
	const draws = chance.fork('elsewhere');
	const input = terms(draws, 800);
	const at = SIMULATION_BEGINS + draws.next() * ASKED_WITHIN * (weather.healsAt - SIMULATION_BEGINS);
	time.at(at, () => void other.run({ kind: 'create', intent: 'elsewhere', business: false, input }));
}

/** The account is deployed with another address, and later with the first one; each time it looks for what is open. */
function move({ time, host, isUp }: Telling, times: NonNullable<Weather['movesAt']>): void {
	times.forEach((at, step) =>
		time.at(at, () => {
			host.move(step === 0);
			if (isUp()) void host.recover(() => undefined);
		}),
	);
}

/** More orders at once than are looked for at once, all of unknown outcome after their calls. */
function crowd({ time, host, isUp }: Telling, { orders, at }: NonNullable<Weather['crowd']>): void {
	const common = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', price: '1400.00' };
	time.at(at, () => {
		for (let number = 0; isUp() && number < orders; number += 1) {
			const input = { ...common, quantity: ((1_001 + number) / 100).toFixed(2) };
			void host.run({ kind: 'create', intent: `crowd ${number}`, business: false, input });
		}
	});
}

/**
 * Another process places an order in the midst of many others. Every look finds it, one that was under way and
 * one long after it that begins with the newest. Answers when that is over.
 */
function placeInBurst(telling: Telling, { from, to }: { from: number; to: number }): number {
	const { time, chance, host, other, fresh, isUp, record } = telling;
	const draws = chance.fork('burst');
	const orderOf = (intent: string, number: number, business = false): Order => ({
		...{ kind: 'create', intent, business },
		input: { ...terms(draws.fork(intent), number), order_type: 'limit', price: '1400.00', side: 'buy' },
	});
	const [buried, late, latest] = [orderOf('buried', 900), orderOf('late', 901), orderOf('latest', 902)];
	const at = from + draws.between(500, 2_000);
	const lookFor = (number: number) => (): void =>
		void (isUp() && host.run(orderOf(`in burst ${number}`, 910 + number, true)));
	time.at(from - 25_000, lookFor(1));
	time.at(at, () => void other.run(buried));
	time.at(at + draws.between(8_000, 11_000), lookFor(2));
	const begins = to + LATER_MS;
	time.at(begins, () => void other.run(late));
	time.at(begins + 60_000, () => void fresh.run({ ...late, business: true }));
	if (draws.happens(0.5)) {
		// What was read until the newest one was found is no proof of what came since.
		time.at(begins + 120_000, () => void other.run(latest));
		const end = begins + 120_000 + KEYS_FORGOTTEN_MS + 60_000;
		time.at(end, () => void fresh.run({ ...latest, business: true }));
		return end + LATER_MS;
	}
	time.at(begins + 120_000, () => {
		const [sent] = record.calls.filter(({ intent }) => intent === buried.intent).flatMap(({ sends }) => sends);
		if (sent) deny(telling, FIRST_ADDRESS, nameIn(sent), { host: fresh, waits: true });
	});
	return begins + 120_000 + LATER_MS;
}

/** Longer than a list is late with an order. */
const LATER_MS = 400_000;

const nameIn = ({ bytes }: Sent): string => bytes.slice(bytes.indexOf(' '));

interface Wish {
	order: Order;
	fulfilled: boolean;
	begun: boolean;
}

/** One wanted order, with everything that may go wrong in requesting it. */
function wish(telling: Telling, number: number, naming: Naming | undefined): Wish {
	const { time, chance, weather, keepsJournal } = telling;
	const business = chance.happens(0.5);
	const input = terms(chance, number);
	const isTraced = business && !naming && chance.fork(`trace ${number}`).happens(0.3);
	const isTimed = !business && naming?.keepsNames === true && chance.fork(`time ${number}`).happens(0.3);
	const guards = drawGuards(chance.fork(`guards ${number}`), input);
	const waits = drawWait(chance.fork(`wait ${number}`), input);
	const order: Order = {
		...{ kind: 'create', intent: `intent ${number}`, business, input, naming, isTraced, isTimed },
		...guards,
		...(guards.options || waits ? { options: { ...guards.options, ...waits } } : {}),
	};
	const self: Wish = { order, fulfilled: false, begun: false };
	const at = SIMULATION_BEGINS + chance.next() * ASKED_WITHIN * (weather.healsAt - SIMULATION_BEGINS);
	const first = chance.happens(0.1) ? { ...order, abortAfterMs: chance.between(0, 40_000) } : order;
	time.at(at, () => ask(telling, self, first, RETRIES_MAX));
	const mistakes = chance.fork(`mistake ${number}`);
	// A market order ignores its price, so that the service would take it.
	if (weather.valuePerDay !== undefined && !naming && mistakes.happens(0.5) && input.order_type === 'limit') {
		// The service refuses so little, and the name is used for the corrected order.
		const mistaken = {
			...order,
			isForbidden: false,
			options: {},
			input: { ...input, quantity: `0.0${number + 1}`, price: '1.00' },
		};
		time.at(at - mistakes.between(1_000, 30_000), () => ask(telling, self, mistaken, 0));
	}
	if (order.business && weather.twoProcesses) {
		const askOther = (): void => {
			self.begun = true;
			void telling.other.run(order);
		};
		time.at(at + chance.between(-2_000, 5_000), askOther);
		time.at(at + chance.fork(`later ${number}`).between(20_000, 200_000), askOther);
	}
	if (chance.happens(0.25) && !naming?.isToolCall)
		time.at(at + chance.between(0, 20_000), () => ask(telling, self, order, 0));
	if (chance.happens(0.15) && !naming) {
		const other = {
			...order,
			input:
				chance.happens(0.5) && order.input.price !== undefined
					? { ...order.input, price: String(order.input.price).replace('.00', '.50') }
					: { ...order.input, quantity: String(order.input.quantity).replace('.00', '.50') },
		};
		// A restarted process does not know the first payload, so only the service or a lookup can detect the difference.
		time.at(at + chance.between(0, 60_000), () =>
			ask(telling, self, keepsJournal ? other : { ...other, repeated: chance.happens(0.5) }, 0),
		);
	}
	return self;
}

function ask(telling: Telling, wanted: Wish, order: Order, retries: number): void {
	const { time, chance, host, isUp } = telling;
	if (!isUp()) return;
	wanted.begun = true;
	const { life, address } = host;
	void host.run(order).then((claim) => {
		if (claim.is === 'unknown') deny(telling, address, claim.text);
		if (claim.is === 'accepted') {
			if (!wanted.fulfilled) resumeState(telling, order, claim.item!);
			wanted.fulfilled = true;
			return;
		}
		// The order was placed, and who retries in the same run gets the same order.
		wanted.fulfilled ||= claim.is === 'ended';
		if (retries > 0 && chance.happens(0.6)) {
			const again = chance.happens(claim.is === 'ended' ? 0.6 : 0.3) ? order.naming?.rerun : order.naming?.retry;
			time.after(chance.between(500, 20_000), () => {
				if (host.life !== life) return;
				again?.();
				ask(telling, wanted, { ...order, abortAfterMs: undefined }, retries - 1);
			});
		}
	});
}

/** A person asks at once what became of it. */
function deny(
	{ time, record, ...telling }: Telling,
	address: string,
	text: string,
	{ host, waits }: { host: Host; waits: boolean } = { host: telling.host, waits: false },
): void {
	const { client_order_id: name } = JSON.parse(text) as { client_order_id?: string };
	// Under another address it is another account that is asked.
	if (name === undefined || host.address !== FIRST_ADDRESS || host.address !== address) return;
	void host.resolve(name, waits).then(
		({ outcome }) => void (outcome === 'not_found' && record.denied.push({ name, at: time.now() })),
		() => undefined,
	);
}

/** The follow-up actions of a flow on an order it has placed. */
function resumeState(telling: Telling, { intent, input }: Order, item: Item): void {
	const { time, chance, host } = telling;
	if (input.order_type !== 'limit' || !chance.happens(0.5)) return;
	const target = { pair_id: 'USD/NGN', order_id: String(item.order_id) };
	const replaces = chance.happens(0.5);
	const order: Order = replaces
		? {
				kind: 'replace',
				intent: `replace for ${intent}`,
				business: false,
				input: { ...target, quantity: `${Number(input.quantity) + 200}.00`, price: String(input.price) },
				...drawGuards(chance.fork(`guards of replace for ${intent}`), input),
			}
		: { kind: 'cancel', intent: `cancel for ${intent}`, business: false, input: target };
	const { life } = host;
	const again = (left: number): void => {
		if (host.life !== life || !telling.isUp()) return;
		void host.run(order).then((claim) => {
			if (claim.is !== 'accepted' && left > 0) time.after(chance.between(500, 20_000), () => again(left - 1));
		});
	};
	time.after(chance.between(0, 30_000), () => again(1));
}

function crash(telling: Telling, at: number, downMs: number, wishes: readonly Wish[]): void {
	const { time, chance, host, keepsJournal } = telling;
	time.at(at, () => host.crash());
	time.at(at + downMs, () => {
		host.start();
		if (keepsJournal) {
			void host.recover((subject) => {
				for (const wanted of wishes)
					wanted.fulfilled ||=
						subject === `${String(wanted.order.input.quantity)}@${String(wanted.order.input.price ?? 'market')}`;
			});
		}
		for (const wanted of wishes) {
			const isDone = wanted.fulfilled || host.hasTold(wanted.order);
			if (isDone || !wanted.begun || !chance.happens(0.7)) continue;
			// Static data is stored when the execution ends, so n8n has no name for a request that a crash interrupted.
			if (wanted.order.naming && !wanted.order.business && !keepsJournal) continue;
			const repeated = !keepsJournal && (!wanted.order.business || chance.happens(0.5));
			time.after(chance.between(0, 10_000), () => ask(telling, wanted, { ...wanted.order, repeated }, 1));
		}
	});
}

/** The service rotates the key; the operator enters the new one a little later. */
function rotate({ time, chance, host }: Telling, at: number): void {
	time.at(at + chance.between(0, 60_000), () => host.useNewKey());
}
