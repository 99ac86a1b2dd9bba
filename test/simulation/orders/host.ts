import {
	createAccountLimits,
	type AccountLimits,
	createAccountMemory,
	isExchangeError,
	type Clock,
	type IntentEntry,
	type AccountMemory,
	type Item,
	type Resolution,
} from '@partner-exchange/core';
import type { Options, OperationId } from '@partner-exchange/core/catalogue';
import { createClientOn, orderMachine } from '@partner-exchange/core/testing';
import { claims, ids, jumped, kindOf, subjectOf, type Said } from './calls';
import { channel } from './channel';
import { journalOn } from './disk';
import type { Naming } from './naming';
import { network, type Surroundings } from './network';
import type { Plant } from './plants';
import type { Call, Claim } from './record';
import { FIRST_ADDRESS, FIRST_KEY, SECOND_ADDRESS, SECOND_KEY } from './service';
import { watched } from './watch';

/** A request of a host to its client. */
export interface Order {
	kind: Call['kind'];
	intent: string;
	/** Sent with a business key instead of a derived name. */
	business: boolean;
	input: Readonly<{ [name: string]: unknown }>;
	repeated?: boolean;
	options?: Options;
	/** Sent with a client order id that is another one in every run. */
	isTraced?: boolean;
	/** Named by an expression of the time, unless a business key names it. */
	isTimed?: boolean;
	/** The options of the call forbid it. */
	isForbidden?: boolean;
	abortAfterMs?: number;
	/** The name the host gives the request, if other than the intent itself. */
	naming?: Naming;
}

/** A host that runs clients: it may crash and restart, and has a journal like Node-RED or none like n8n. */
export interface Host {
	life: number;
	key: string;
	address: string;
	/** Requests one order write; resolves with the result, or never if the process dies first. */
	run(order: Order): Promise<Claim>;
	/** Resolves intents that an earlier process left open, and reports the quantities of those that exist. */
	recover(exists: (subject: string) => void): Promise<void>;
	/** Waits, if asked, until the answer is certain. */
	resolve(clientOrderId: string, waits: boolean): Promise<Item>;
	/** Whether a resolution after the call reported success. */
	hasTold(order: Order): boolean;
	/** Replaces a rotated API key by its successor, if there is one. */
	useNewKey(): void;
	/** Gives the account another address, and later the first one again. */
	move(isAway: boolean): void;
	crash(): void;
	start(): void;
}

export function openHost(world: Surroundings & { keepsJournal: boolean; plant: Plant }, firstLife = 1): Host {
	const { time, record, plant, chance } = world;
	const disk = new Map<string, IntentEntry>();
	/** By address, and in a host with a journal by key, as Node-RED and n8n have them. */
	let memories = new Map<string, AccountMemory>();
	let limits = newLimits();
	const host: Host = {
		life: firstLife,
		key: FIRST_KEY,
		address: FIRST_ADDRESS,
		run,
		recover,
		resolve,
		hasTold: ({ kind, input }) =>
			record.settled.some(
				(reports) => reports.is === 'accepted' && reports.kind === kind && reports.subject === subjectOf(input),
			),
		crash: () => void (host.life += 1),
		useNewKey: () => void (world.weather.rotatesAt !== undefined && (host.key = SECOND_KEY)),
		move: (isAway) => void (world.keepsJournal && (host.address = isAway ? SECOND_ADDRESS : FIRST_ADDRESS)),
		start: () => {
			memories = new Map();
			limits = newLimits();
		},
	};
	/** Another process knows of the account's limits, and of nothing that was counted. */
	function newLimits(): AccountLimits | undefined {
		const { ordersPerDay, valuePerDay, stopsAt } = world.weather;
		if (ordersPerDay === undefined && valuePerDay === undefined && stopsAt === undefined) return undefined;
		const made = createAccountLimits({ elapsed: () => time.elapsed() }, { ordersPerDay, valuePerDay });
		if (stopsAt !== undefined) time.at(Math.max(time.now(), stopsAt), () => made.stop());
		return made;
	}

	const draws = chance.fork(`client ${firstLife}`);
	const disks = chance.fork('disk');
	const isBroken = (): boolean => time.now() < world.weather.healsAt && disks.happens(world.weather.diskFails);

	function clientFor(call: Call) {
		const line = channel(world, call, { key: host.key, change: plant.command });
		const ports = {
			send: plant.send?.(network(world, call), call) ?? network(world, call),
			clock: clockOf(call.life),
			random: () => draws.next(),
			newId: () => draws.uuid(),
		};
		const account = {
			environment: 'sandbox',
			baseUrl: call.address,
			wsUrl: `${call.address.replace('http', 'ws')}/ws`,
			apiKey: host.key,
		} as const;
		return createClientOn(account, ports, {
			// The name of an order is as a host does, which tells a business key and a run of its own.
			isForm: true,
			memory: plant.forgets ? createAccountMemory() : memoryOf(call),
			journal: world.keepsJournal
				? journalOn(
						disk,
						() => world.lives(call.life),
						() => isBroken(),
					)
				: undefined,
			limits,
			machine: watched(plant.machine ?? orderMachine(), call, watching(call)),
			commands: () => line,
			onResolved: (resolution) => void (world.lives(call.life) && noteSettled(call, resolution)),
		});
	}

	function memoryOf({ address }: Call): AccountMemory {
		const name = world.keepsJournal ? `${address} ${host.key}` : address;
		const memory = memories.get(name) ?? createAccountMemory();
		memories.set(name, memory);
		return memory;
	}

	/** Timers of a dead process do not fire. */
	const wallClock = (): number => time.now() + jumped(world.weather.clockJumps, time.now());
	const clockOf = (life: number): Clock => ({
		now: wallClock,
		elapsed: plant.onWallClock ? wallClock : () => time.elapsed(),
		after: (delayMs, action) => time.after(delayMs, () => world.lives(life) && action()),
	});

	const watching = (call: Call) => ({
		record,
		lives: () => world.lives(call.life),
		// Calls of both addresses may be under way at once, and the journal holds one entry for a name.
		isRemembered: () =>
			!world.keepsJournal ||
			[...disk.values()].some(
				({ fields, account }) => subjectOf(fields) === call.subject && account?.address === call.address,
			),
	});

	function newCall(kind: Call['kind'], intent: string, subject: string): Call {
		const call: Call = {
			number: record.calls.length + 1,
			life: host.life,
			address: host.address,
			intent,
			subject,
			kind,
			repeated: false,
			business: false,
			isToolCall: false,
			declined: false,
			startedAt: time.now(),
			sends: [],
			reads: 0,
			readsAfter: 0,
			isForbidden: false,
			isTraced: false,
			waitUntil: 0,
			heard: new Set(),
		};
		record.calls.push(call);
		return call;
	}

	async function run({
		kind,
		intent,
		business,
		input: requested,
		isTraced = false,
		isTimed,
		repeated,
		options,
		isForbidden = false,
		abortAfterMs,
		naming,
	}: Order): Promise<Claim> {
		const call = newCall(kind, intent, subjectOf(requested));
		const input = isTraced || isTimed ? { ...requested, client_order_id: `trace-${call.number}` } : requested;
		call.repeated = repeated === true;
		call.business = business;
		call.isForbidden = isForbidden;
		call.isTraced = isTraced;
		record.trace.add(time.now(), `call ${call.number}`, kind, intent, call.subject);
		const abort = new AbortController();
		if (abortAfterMs !== undefined) time.after(abortAfterMs, () => abort.abort());
		const named = (value: string): string => plant.name?.(value, host) ?? value;
		const settings = {
			...(kind === 'cancel' ? {} : { check_market: false }),
			...(options && (plant.options?.(options) ?? options)),
			...(business ? { business_key: named(intent) } : {}),
		};
		call.isToolCall = naming?.isToolCall === true && !business;
		call.declined = naming !== undefined && !business;
		const work = (report: { intent?: string; repeated?: boolean }, sent: typeof input = input): Promise<unknown> => {
			call.declined = false;
			call.repeated ||= report.repeated === true;
			const identity = { intent: named(report.intent ?? intent), repeated: call.repeated };
			return clientFor(call).call(ids[kind], sent, { ...identity, options: settings, signal: abort.signal });
		};
		const claim = await claimOf(() =>
			naming && !business ? naming.under(ids[kind], input, work) : work({ intent, repeated }),
		);
		// A dead process reports nothing.
		return world.lives(call.life) ? note(call, claim) : new Promise(() => undefined);
	}

	async function claimOf(work: () => Promise<unknown>): Promise<Said> {
		try {
			const item = (await work()) as Item;
			return { is: 'accepted', item, text: 'accepted' };
		} catch (error) {
			if (!isExchangeError(error)) throw error;
			const said = { code: error.code, text: JSON.stringify(error) };
			return { is: claims[error.code] ?? 'refused', ...said, item: { ...error.details } };
		}
	}

	function note(call: Call, claim: Said): Claim {
		record.trace.add(
			time.now(),
			`call ${call.number}`,
			claim.is,
			claim.code ?? '',
			claim.code === undefined ? '' : claim.text.slice(0, 200),
		);
		call.claim = { ...claim, at: time.now(), order: record.next() };
		return call.claim;
	}

	function noteSettled({ life, address }: Call, { operation, fields, outcome, result, error }: Resolution): void {
		const subject = subjectOf(fields);
		record.trace.add(time.now(), 'settled', operation, subject, outcome);
		const end = { is: outcome, item: result, text: JSON.stringify(error ?? ''), at: time.now(), order: record.next() };
		record.settled.push({ ...end, life, address, kind: kindOf(operation), subject });
	}

	/** A journal that is temporarily unreadable is read again. */
	async function recover(exists: (subject: string) => void): Promise<void> {
		const { life } = host;
		try {
			await recoverOnce(exists);
		} catch (error) {
			if (!isExchangeError(error, 'not_available')) throw error;
			time.after(5_000, () => void (world.lives(life) && recover(exists)));
		}
	}

	async function recoverOnce(exists: (subject: string) => void): Promise<void> {
		const call = newCall('create', 'recovery', 'recovery');
		call.claim = { at: time.now(), order: record.next(), is: 'unknown', text: 'recovering' };
		for await (const { entry, outcome, result } of clientFor(call).recover()) {
			if (outcome === 'elsewhere') continue;
			if (!world.lives(call.life)) return;
			const match = newCall(kindOf(entry.operation), `recovered ${entry.key}`, subjectOf(entry.fields));
			// What is said of an entry is said of the account it was sent from.
			match.address = entry.account?.address ?? call.address;
			if (outcome === 'accepted') exists(match.subject);
			note(match, { is: outcome, item: result, text: outcome });
		}
		if (call.sends.length > 0) record.violate('recovery sent something');
		note(call, { is: 'accepted', text: 'recovered' });
	}

	async function resolve(clientOrderId: string, waits: boolean): Promise<Item> {
		const call = newCall('create', 'resolution', 'resolution');
		try {
			const input = { client_order_id: clientOrderId };
			return (await clientFor(call).call<OperationId>('order.resolve', input, {
				options: { wait_certain: waits },
			})) as Item;
		} finally {
			note(call, { is: 'stopped', text: 'resolved' });
		}
	}

	return host;
}
