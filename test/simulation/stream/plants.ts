import { ExchangeError } from '@partner-exchange/core';
import { READ_EVERY_MS, RECONNECT_MS } from '../../../packages/core/src/stream/limits';
import { withSeeds } from '../support/suite';
import { cut, cuts } from './cuts';
import { emptyAtFirst, firstBook, handing, hearing, late, saying, type Plant, type Plants } from './plant';
import { mechanisms } from './mechanisms';
import { BOOK } from './truth';

/** Where an update of an order is compared with its known state. */
const NEWS = '!isNews(update, stored.facts)';

const delivery = {
	positionMovesBeforeTaking: {
		take: (take) => async (events) => void take(events).catch(() => undefined),
	},
	rejectionCountsAsTaken: { take: (take) => (events) => take(events).catch(() => undefined) },
	forgetsWhatWasTaken: cut('limits.ts', 'STORED_KEYS_MAX = 15_000', 'STORED_KEYS_MAX = 0'),
	handsOverBackwards: { take: handing((events) => [...events].reverse()) },
	letsStatusesGoBack: cut('log/orders.ts', NEWS, `stored.facts.status === update.status && ${NEWS}`),
	takesProgressForOld: cut('log/orders.ts', NEWS, `(stored.facts.status === update.status || ${NEWS})`),
	hidesReplacedOrders: cut('log/orders.ts', NEWS, `(update.replacedBy !== undefined || ${NEWS})`, 'outages'),
	hidesAmendments: {
		layer: 'fair',
		take: handing((events) => events.filter(({ eventKey }) => !eventKey.includes('~'))),
	},
	hidesGaps: {
		layer: 'fills forgotten',
		take: handing((events) => events.filter(({ eventKey }) => !eventKey.startsWith('gap:'))),
	},
	callsEverythingReplayed: {
		layer: 'resume',
		take: handing((events) =>
			events.map((event) => (event.delivery === 'live' ? { ...event, delivery: 'replayed' } : event)),
		),
	},
	callsWhatWasReadLive: {
		take: handing((events) =>
			events.map((event) => (event.delivery === 'reconciled' ? { ...event, delivery: 'live' } : event)),
		),
	},
	tellsUnderNewKeys: {
		take: handing((events) => events.map((event) => ({ ...event, eventKey: `${event.eventKey}:${event.delivery}` }))),
	},
} satisfies Plants;

const reading = {
	readsOnlyOnce: { layer: 'signs', policy: { readAfterMs: [0] } },
	readsOnlyAtFirst: { layer: 'gaps', policy: { impliesGap: () => false } },
	ignoresGaps: { layer: 'gaps', policy: { impliesGap: (step) => step === 'epoch' } },
	ignoresEpochs: { layer: 'epochs', policy: { impliesGap: (step) => step === 'gap' } },
	neverReads: { policy: { readAfterMs: [], readEveryMs: undefined, impliesGap: () => false } },
	tellsHistory: { layer: 'fair', reader: emptyAtFirst },
	readsNoOverlap: cut('limits.ts', 'READ_OVERLAP_MS = 60_000', 'READ_OVERLAP_MS = -30_000', 'rows apart'),
} satisfies Plants;

const resuming = {
	dropsBySeq: {
		layer: 'resume',
		socket: hearing((memory) => (message) => {
			const last = memory.get(message.topic) as number | undefined;
			memory.set(message.topic, Math.max(last ?? 0, message.seq));
			return last !== undefined && message.seq <= last + 1 && message.seq % 7 === 0 ? undefined : message;
		}),
	},
	resumesTooLate: {
		layer: 'resume',
		socket: saying(({ resume, ...message }) => ({
			...message,
			...(resume && {
				resume: Object.fromEntries(Object.entries(resume).map(([topic, at]) => [topic, { ...at, seq: at.seq + 1 }])),
			}),
		})),
	},
	neverResumes: { layer: 'resume', socket: saying(({ resume: _, ...message }) => message) },
	forgetsATopic: {
		socket: saying((message) =>
			message.type === 'subscribe' && message.topics.length > 1
				? { ...message, topics: message.topics.slice(1) }
				: message,
		),
	},
} satisfies Plants;

const books = {
	readsAnOldBook: { layer: 'gaps', reader: firstBook },
	hidesThatABookIsStale: {
		layer: 'signs',
		take: handing((events) => events.map(({ stale: _, ...event }) => event)),
	},
	tellsOnlyWholeBooks: {
		layer: 'fair',
		take: handing((events) => events.filter(({ topic, delivery }) => topic !== BOOK || delivery === 'reconciled')),
	},
	losesChangesInABatch: {
		layer: 'fair',
		take: handing((events) => events.filter(({ topic }, index) => topic !== BOOK || events[index + 1]?.topic !== BOOK)),
	},
} satisfies Plants;

const wallet = {
	storesTheWalletBeforeTelling: { storesBeforeTelling: true },
	forgetsTransactions: {
		wallet: ({ transactions, ...stored }) => ({ ...stored, transactions: { ...transactions, known: [] } }),
	},
	forgetsPendingTransactions: {
		wallet: ({ transactions, ...stored }) => ({
			...stored,
			transactions: { ...transactions, known: transactions.known.filter(([, status]) => status !== 'pending') },
		}),
	},
	forgetsSides: { wallet: (stored) => ({ ...stored, balances: { ...stored.balances, lines: {} } }) },
} satisfies Plants;

const commands = {
	callsLostCommandsUndone: {
		command: (command) => (action, fields) =>
			command(action, fields).catch(() => {
				throw new ExchangeError('stream_closed', { what: 'Nothing was sent' });
			}),
	},
	callsUnsentCommandsDone: {
		command: (command) => (action, fields) => command(action, fields).catch(() => ({ action, data: {} })),
	},
} satisfies Plants;

const time = {
	comesBackLate: {
		layer: 'outages',
		clock: late((delayMs) => (delayMs < RECONNECT_MS.cap ? delayMs * 2 : delayMs)),
	},
	readsLateAfterAReturn: { layer: 'outages', policy: { readAfterMs: [RECONNECT_MS.cap * 2] } },
	readsTooSeldom: { layer: 'lost', policy: { readEveryMs: READ_EVERY_MS * 1.5 } },
	leavesATimer: {
		clock: (clock) => ({
			...clock,
			after: (delayMs, action) => {
				let isOff = false;
				clock.after(delayMs, () => isOff || action());
				return () => void (isOff = true);
			},
		}),
	},
} satisfies Plants;

const bugs = {
	...delivery,
	...reading,
	...resuming,
	...books,
	...wallet,
	...commands,
	...time,
	...cuts,
};

/** The compiler asks for the mechanism of each. */
const lives: { readonly [name in keyof typeof bugs]: readonly [mechanism: string, life: number] } = mechanisms;

export const plants = withSeeds<Plant>(
	bugs,
	Object.fromEntries(Object.entries(lives).map(([name, [, life]]) => [name, life])),
);
