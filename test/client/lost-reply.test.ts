import { ExchangeError, type Item, type Warning } from '@partner-exchange/core';
import { operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import { resolveWrite } from '../../packages/core/src/client/lost-reply';
import type { Attempt } from '../../packages/core/src/wire/exchange';
import { quickClock } from '../support/wire';

const recipient = { recipient_type: 'fiat', currency: 'NGN', label: 'Rent', bank_code: '058', account_number: '0123' };
const saved = { id: 'r1', ...recipient };
const lost = (code: 'timeout' | 'refused' | 'conflict' | 'not_found' = 'timeout'): Attempt => ({
	proof: code === 'timeout' ? 'unknown' : 'refused',
	response: { error: new ExchangeError(code, { what: 'simulated', status: 504, serviceMessage: 'busy' }) },
});

interface Options {
	accepted?: Record<string, string>;
	/** The responses of the list, one per read. */
	lists?: (readonly Item[] | Error)[];
	signal?: AbortSignal;
	isTold?: boolean;
}

/** The result of a write whose attempt ended this way. */
async function settled(
	id: OperationId,
	attempt: Attempt,
	{ accepted = recipient, lists = [], ...options }: Options = {},
) {
	const clock = quickClock();
	const warnings: Warning[] = [];
	const reads: string[] = [];
	const read = (list: string): Promise<unknown> => {
		const row = lists[Math.min(reads.length, lists.length - 1)] ?? [];
		reads.push(list);
		return row instanceof Error ? Promise.reject(row) : Promise.resolve(row);
	};
	const { signal, isTold = true } = options;
	const context = { signal, ...(isTold ? { warn: (warning: Warning) => void warnings.push(warning) } : {}) };
	const trial = { operation: operationOf(id), accepted, context, read, ports: { clock } as never };
	const end = await resolveWrite(attempt, trial).then(
		(answer) => ({ answer, error: undefined }),
		(error: ExchangeError) => ({ answer: undefined, error }),
	);
	return { ...end, reads, waited: clock.waited, said: warnings.map(({ kind }) => kind) };
}

describe('a write whose reply came', () => {
	it('answers a write with its reply, without reading', async () => {
		const done: Attempt = { proof: 'done', response: { data: saved } };
		expect(await settled('recipient.create', done)).toMatchObject({ answer: saved, reads: [] });
		expect(await settled('recipient.delete', done, { accepted: { recipient_id: 'r1' } })).toMatchObject({
			answer: { deleted: true, id: 'r1' },
		});
	});

	it.each([
		['recipient.create', ['recipient.list']],
		['simulation.fiatDeposit', []],
	] as const)('rejects %s as the service refused it', async (id, reads) => {
		expect(await settled(id, lost('refused'))).toMatchObject({ error: { code: 'refused', details: {} }, reads });
	});

	it.each(['refused', 'conflict'] as const)(
		'says which record has the details already where the answer is %s, under whatever label',
		async (code) => {
			const lists = [
				[
					{ ...saved, id: 'r0', account_number: '9' },
					{ ...saved, label: 'Office' },
				],
			];
			const { error } = await settled('recipient.create', lost(code), { lists });
			expect(error).toMatchObject({ code, serviceMessage: 'busy', details: { recipient_id: 'r1' } });
			const known = 'The recipient Office (r1) has these details already';
			// What is no conflict may be refused for another reason, so that is not said to be the reason.
			expect(error!.what).toBe(code === 'conflict' ? `simulated. ${known}` : 'simulated');
			expect(error!.advice).toMatch(code === 'refused' ? known : 'Read the existing record');
		},
	);
});

describe('a write whose reply was lost', () => {
	it('reports a write with a lost reply as done when the list shows it', async () => {
		const match = { answer: saved, error: undefined, reads: ['recipient.list'], waited: [], said: ['recovered'] };
		expect(await settled('recipient.create', lost(), { lists: [[{ id: 'r0' }, saved]] })).toEqual(match);
		const untold = { ...match, said: [] };
		expect(await settled('recipient.create', lost(), { lists: [[saved]], isTold: false })).toEqual(untold);
	});

	it('reads the list three times, a second apart, also after a failed read', async () => {
		const unreadable = new ExchangeError('unavailable', { what: 'simulated' });
		expect(await settled('recipient.create', lost(), { lists: [unreadable, [], [saved]] })).toMatchObject({
			...{ answer: saved, waited: [1_000, 1_000] },
		});
		const { error, reads, waited } = await settled('recipient.create', lost(), { lists: [[]] });
		expect({ reads: reads.length, waited }).toEqual({ reads: 3, waited: [1_000, 1_000] });
		expect(error).toMatchObject({
			...{ code: 'outcome_unknown', operation: 'Create Recipient', status: 504, serviceMessage: 'busy' },
			...{ details: { cause: 'timeout' }, advice: expect.stringContaining('The list does not show it') as string },
		});
	});

	it('compares only the fields of the write, so that no other record matches', async () => {
		const other = { ...saved, account_number: '0124' };
		expect(await settled('recipient.create', lost(), { lists: [[other]] })).toMatchObject({
			error: { code: 'outcome_unknown' },
		});
		const crypto = { recipient_type: 'crypto', currency: 'USDT', chain: 'TRON', crypto_address: 'TX' };
		const listed = { id: 'r2', ...crypto, bank_code: null };
		expect(await settled('recipient.create', lost(), { accepted: crypto, lists: [[listed]] })).toMatchObject({
			answer: listed,
		});
	});

	it.each([
		['label', 'Yesterday'],
		['label', 'rent'],
		['label', ''],
		['label', null],
		['account_name', 'Ada Obi'],
		['account_name', 'ADA EZE '],
		['account_name', null],
		['account_number', '0124'],
		['account_number', null],
		['account_number', undefined],
		['bank_code', '059'],
		['bank_code', undefined],
		['currency', 'USD'],
		['currency', undefined],
		['recipient_type', 'crypto'],
		['recipient_type', undefined],
	])('takes no record with another %s (%j) for the one it saved', async (name, value) => {
		const accepted = { ...recipient, account_name: 'ADA EZE' };
		const earlier = { id: 'r0', ...accepted, [name]: value };
		expect(await settled('recipient.create', lost(), { accepted, lists: [[earlier]] })).toMatchObject({
			error: { code: 'outcome_unknown' },
		});
		const own = { id: 'r1', ...accepted };
		expect(await settled('recipient.create', lost(), { accepted, lists: [[earlier, own]] })).toMatchObject({
			answer: own,
		});
	});

	it.each(['label', 'account_name'])('recognizes its record where the list leaves its %s out', async (name) => {
		const accepted = { ...recipient, account_name: 'ADA EZE' };
		const listed = { id: 'r1', ...accepted, [name]: undefined };
		expect(await settled('recipient.create', lost(), { accepted, lists: [[listed]] })).toMatchObject({
			answer: listed,
		});
	});

	it('reads no list once the call is stopped', async () => {
		const stopped = await settled('recipient.create', lost(), { signal: AbortSignal.abort() });
		expect(stopped).toMatchObject({ error: { code: 'outcome_unknown' }, reads: [] });
	});

	it('reports an unknown outcome at once when no list shows the write', async () => {
		const { error, reads } = await settled('simulation.fiatDeposit', lost());
		expect(error).toMatchObject({
			code: 'outcome_unknown',
			advice: expect.stringContaining('Read the records') as string,
		});
		expect(reads).toEqual([]);
	});

	it('rejects as before when the write may be sent again', async () => {
		expect(await settled('recipient.update', lost())).toMatchObject({ error: { code: 'timeout' }, reads: [] });
	});

	it('passes on an internal error of looking for a lost write', async () => {
		const fault = new TypeError('a fault of our own');
		expect(await settled('recipient.create', lost(), { lists: [fault] })).toMatchObject({ error: fault });
	});
});

describe('a record that was to be deleted', () => {
	const accepted = { recipient_id: 'r1' };

	it.each(['not_found', 'refused'] as const)(
		'reports a deleted record as gone when the list lacks it after %s',
		async (code) => {
			const others = [{ id: 'r2' }];
			expect(await settled('recipient.delete', lost(code), { accepted, lists: [others] })).toMatchObject({
				answer: { deleted: true, id: 'r1', already_gone: true },
			});
			const pending = await settled('recipient.delete', lost(code), { accepted, lists: [[{ id: 'r1' }]] });
			expect(pending).toMatchObject({ error: { code } });
			const late = [[], others, [{ id: 'R1' }]];
			const justSaved = await settled('recipient.delete', lost(code), { accepted, lists: late });
			expect(justSaved).toMatchObject({ error: { code }, waited: [1_000, 1_000] });
			const unread = await settled('recipient.delete', lost(code), { accepted, lists: [new Error('simulated')] });
			expect(unread).toMatchObject({ error: { code } });
		},
	);

	it('reads no list for a deletion after another failure', async () => {
		expect(await settled('recipient.delete', lost(), { accepted })).toMatchObject({
			error: { code: 'timeout' },
			reads: [],
		});
	});
});
