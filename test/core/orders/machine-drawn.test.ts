import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExchangeError, type ErrorCode } from '@partner-exchange/core';
import { orderMachine } from '@partner-exchange/core/testing';
import fc from 'fast-check';
import {
	newIntent,
	type AttemptResult,
	type IntentState,
	type LookupResult,
	type Phase,
	type Report,
} from '../../../packages/core/src/orders/machine/state';

const machine = orderMachine();
const { conclusiveMs, lateArrivalMs } = machine.policy;
const error = (code: ErrorCode, retryAfterMs?: number) => new ExchangeError(code, { what: code, retryAfterMs });

const answered = (
	proof: Exclude<AttemptResult['proof'], 'done'>,
	code: ErrorCode = 'unavailable',
	retryAfterMs?: number,
): Report => ({
	type: 'attempted',
	attempt: { proof, error: error(code, retryAfterMs) },
});
const looked = (lookup: LookupResult): Report => ({ type: 'looked_up', lookup });
const nothing = looked({ is: 'absent', complete: true });
const match = looked({ is: 'found', result: { order_id: 'order-1' } });
const unreadable = looked({ is: 'failed', error: error('unavailable'), lasting: false });
const conflict = (certain: boolean): Report =>
	looked({ is: 'conflict', certain, mayBeDone: !certain, error: error('conflict') });

/** What may be reported in each phase. */
const reports: Readonly<Record<Exclude<Phase, 'ended'>, readonly Report[]>> = {
	started: [{ type: 'started' }],
	checking: [{ type: 'checked' }, { type: 'rejected', error: error('invalid_input') }],
	recording: [{ type: 'recorded' }, { type: 'rejected', error: error('unavailable') }],
	sending: [
		...(['unsent', 'limited', 'unknown', 'conflict', 'refused'] as const).map((proof) => answered(proof)),
		...[answered('refused', 'forbidden'), answered('unknown', 'rate_limited', 5_000)],
		{ type: 'attempted', attempt: { proof: 'done', result: {} } },
	],
	...{ looking_first: lookups(), looking_up: lookups() },
	...{ before_looking_first: pauses(), before_sending: pauses(), before_looking_up: pauses() },
};

function lookups(): Report[] {
	const partly = looked({ is: 'absent', complete: false });
	return [nothing, nothing, partly, match, unreadable, conflict(true), conflict(false)];
}

function pauses(): Report[] {
	return [{ type: 'elapsed' }, { type: 'elapsed' }, { type: 'woken' }];
}

const begins: Partial<IntentState>[] = [
	{},
	{ lookupFirst: true },
	{ earlier: true },
	{ earlier: true, lookupFirst: true, lastAttemptAt: 1_000_000 - lateArrivalMs },
	{ earlier: true, sendsNoMore: 'looks_only' },
];

/** The steps that the table of ARCHITECTURE.md draws: of each phase those that may follow. */
async function drawn(): Promise<string[]> {
	const text = await readFile(join(__dirname, '../../../ARCHITECTURE.md'), 'utf8');
	const rows = text.matchAll(/^\| `(\w+)` +\|[^|]*\| ([^|]*?) *\|$/gm);
	return [...rows].flatMap(([, from, next]) => [...next!.matchAll(/`(\w+)`/g)].map(([, to]) => `${from} -> ${to}`));
}

describe('the phases of an intent', () => {
	it('follow each other as drawn, and in no other way', async () => {
		const steps = new Set<string>();
		const choice = fc.record({ report: fc.nat(), pauseMs: fc.constantFrom(10, 1_000, conclusiveMs, lateArrivalMs) });
		fc.assert(
			fc.property(fc.constantFrom(...begins), fc.array(choice, { minLength: 60, maxLength: 60 }), (begun, choices) => {
				let at = 1_000_000;
				let state = newIntent(at, begun);
				for (const { report, pauseMs } of choices) {
					if (state.phase === 'ended') break;
					const all = reports[state.phase];
					at += pauseMs;
					const next = machine.step(state, { ...all[report % all.length]!, at, chance: 0.5 }).state;
					steps.add(`${state.phase} -> ${next.phase}`);
					state = next;
				}
			}),
			{ numRuns: 8_000, seed: 7 },
		);
		expect([...steps].sort()).toEqual((await drawn()).sort());
	});

	it('never send again once nothing more is sent', () => {
		const isSent = (sendsNoMore: IntentState['sendsNoMore'], report: Report, waitMs: number): boolean => {
			const begun = newIntent(0, { sendsNoMore, phase: 'looking_up', attempts: 1, error: error('refused') });
			return (
				machine.step({ ...begun, lookupStartedAt: waitMs }, { ...report, at: waitMs, chance: 0 }).effect.do === 'send'
			);
		};
		for (const sendsNoMore of ['refused', 'conflict', 'looks_only'] as const)
			for (const report of lookups())
				for (const waitMs of [0, conclusiveMs, lateArrivalMs])
					expect([sendsNoMore, report, isSent(sendsNoMore, report, waitMs)]).toEqual([sendsNoMore, report, false]);
	});
});
