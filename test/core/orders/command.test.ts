import { ExchangeError, type ErrorCode, type Item, type Stream } from '@partner-exchange/core';
import { cancel } from '../../../packages/core/src/orders/handlers/command';
import { replace } from '../../../packages/core/src/orders/handlers/replace';
import { planOf } from '../../../packages/core/src/orders/plan';

import { openStage } from '../stream/stage';

type Handling = Parameters<typeof cancel>[0];
const target = { pair_id: 'USD/NGN', order_id: 'o1' };

interface Options {
	/** The result of the command. */
	acknowledged?: unknown;
	/** The stream that sends it, in place of that result. */
	stream?: Pick<Stream, 'command'>;
	fails?: Error;
	hasChannel?: boolean;
	/** What reads of single orders return, by ID. */
	orders?: Record<string, unknown>;
	listed?: Item[];
	isComplete?: boolean;
}

/** A cancel or a replace of the order, against a service that returns these reads. */
function command(kind: 'cancel' | 'replace', value: Options = {}) {
	const sent: unknown[] = [];
	const { acknowledged, fails, hasChannel = true, orders = {}, listed = [], isComplete = true } = value;
	const channel = value.stream ?? {
		command: (...args: unknown[]) => {
			sent.push(args.slice(0, 2));
			return fails ? Promise.reject(fails) : Promise.resolve({ data: acknowledged });
		},
	};
	const fields = kind === 'cancel' ? target : { ...target, quantity: '20.00', price: '1390.00' };
	const plan = planOf(`order.${kind}`, fields, { intent: 'a' }, { ports: { newId: () => 'run' } });
	const handling = {
		plan,
		host: { commands: hasChannel ? () => channel : undefined },
		read: (_: string, { order_id }: { order_id: string }) => {
			const order = orders[order_id] ?? new ExchangeError('not_found', { what: 'simulated' });
			return order instanceof Error ? Promise.reject(order) : Promise.resolve(order);
		},
		list: {
			find: ({ matches }: { matches: (order: Item) => boolean }) => {
				const outcome = listed.filter(matches);
				const gap = isComplete ? undefined : 'too long';
				return Promise.resolve({ orders: outcome, complete: isComplete && outcome.length === 0, gap });
			},
		},
	} as unknown as Handling;
	const exchange = (kind === 'cancel' ? cancel : replace)(handling);
	const lookup = () => exchange.lookup({ isThorough: true, isEarlier: false });
	return { send: exchange.send, lookup, sent, plan };
}

describe('a command', () => {
	it('knows the order of a command in capitals and in small letters, as databases write a UUID', async () => {
		const cancelled = command('cancel', { acknowledged: { order_id: 'O1', status: 'cancelling' } });
		expect(await cancelled.send()).toMatchObject({ proof: 'done' });
		const replaced = command('replace', { acknowledged: { original_order_id: 'O1', new_order_id: 'O2' } });
		expect(await replaced.send()).toMatchObject({ proof: 'done' });
		const terms = { status: 'accepted', quantity: '20.00', price: '1390.00', client_order_id: 'c1' };
		const [original, successor] = [
			{ ...terms, id: 'O1' },
			{ ...terms, id: 'O2', replace: { replaces_order_id: 'O1' } },
		];
		const orders = { o1: { ...original, replace: null } };
		expect(await command('replace', { orders, listed: [original] }).lookup()).toMatchObject({ is: 'absent' });
		expect(await command('replace', { orders, listed: [successor] }).lookup()).toMatchObject({
			is: 'found',
			result: { new_order_id: 'O2' },
		});
	});

	it.each<['cancel' | 'replace', unknown]>([
		['cancel', { order_id: 'o2' }],
		['cancel', {}],
		['cancel', null],
		['cancel', undefined],
		['cancel', [{ order_id: 'o1' }]],
		['replace', { original_order_id: 'o2', new_order_id: 'o3' }],
		['replace', { original_order_id: 'o1' }],
	])('leaves a %s in doubt where its acknowledgement is %j', async (kind, acknowledged) => {
		expect(await command(kind, { acknowledged }).send()).toMatchObject({
			proof: 'unknown',
			error: { code: 'malformed_response' },
		});
	});

	it.each<[ErrorCode, string]>([
		['unauthorized', 'refused'],
		['forbidden', 'refused'],
		['refused', 'refused'],
		['not_found', 'refused'],
		['invalid_input', 'refused'],
		['conflict', 'conflict'],
		['rate_limited', 'limited'],
		['unreachable', 'unsent'],
		['stream_closed', 'unsent'],
		['timeout', 'unknown'],
		['outcome_unknown', 'unknown'],
	])('classifies a command that ends with %s as %s', async (code, proof) => {
		const fails = new ExchangeError(code, { what: 'simulated' });
		expect(await command('cancel', { fails }).send()).toEqual({ proof, error: fails, showsOrder: false });
	});
});

describe('an acknowledgement', () => {
	/** What becomes of a cancel that is acknowledged so. */
	async function acknowledgedWith(message: Item) {
		const { stream, sockets, settled } = openStage();
		const outcome = stream.command('order_cancel', target).catch((error: unknown) => error);
		await settled();
		const { request_id } = sockets[0]!.sent.find(({ type }) => type === 'command')!;
		const data = { order_id: 'o1', status: 'cancelling' };
		sockets[0]!.say({ type: 'command_ack', request_id, action: 'order_cancel', data, ...message });
		return outcome;
	}

	it.each([
		[{ error: 'no such order' }],
		[{ error: { code: 'CONFLICT', message: 'no such order' } }],
		[{ errors: ['no such order'] }],
		[{ success: false, message: 'no such order' }],
		[{ ok: 'false', message: 'no such order' }],
		[{ status: 'rejected', message: 'no such order' }],
		[{ code: 409, message: 'no such order' }],
		[{ data: { order_id: 'o1', status: 'FAILED', reason: 'no such order' } }],
		[{ data: { order_id: 'o1', status: 'cancelling', accepted: false, reason: 'no such order' } }],
		[{ data: { order_id: 'o1', status: 'cancelling', error: 'no such order' } }],
		[{ data: { order_id: 'o1', status: 'cancel_rejected', reason: 'no such order' } }],
		[{ isSuccess: false, message: 'no such order' }],
		[{ responseCode: '51', message: 'no such order' }],
		[{ result_code: 'E51', message: 'no such order' }],
		[{ status: 'not_accepted', message: 'no such order' }],
		[{ result: { ok: 0 }, message: 'no such order' }],
		...[
			...[{ status: 'not_cancelled' }, { status: 'notCancelled' }, { state: 'CANNOT_CANCEL' }, { outcome: 'unable' }],
			...[{ cancelled: false }, { canceled: 'no' }, { isCancelled: 'False' }, { accepted: 'false' }, { valid: 0 }],
			...[{ reject_code: 51 }, { code: 'INSUFFICIENT_FUNDS' }, { has_errors: true }, { rejected: true }],
			...[{ status: 'too_late_to_cancel' }, { state: 'unknown_order' }, { status: 'KO' }, { ack: 'nack' }],
			...[{ approved: false }, { cancel_status: 'failed' }, { meta: { response_code: '25' } }, { status: false }],
			...[{ reject_reason: 'x' }, { failureReason: 'x' }, { declineReason: 'x' }, { failure: { kind: 'x' } }],
		].map((part) => [{ data: { order_id: 'o1', ...part }, message: 'no such order' }]),
		...[{ reject_reason: 'no such order' }, { failure_message: 'no such order' }].map((part) => [
			{ data: { order_id: 'o1', status: 'cancelling', ...part } },
		]),
	] as [Item][])('leaves unknown what it calls a failure at once, and says why: %j', async (message) => {
		const failed = { code: 'outcome_unknown', serviceMessage: expect.stringContaining('no such order') as string };
		expect(await acknowledgedWith(message)).toMatchObject(failed);
	});

	it.each([
		...[{}, { error: null, errors: [] }, { success: true, code: 200 }, { status: 'ok' }, { status: 'NO_ERROR' }],
		...[{ responseCode: '00' }, { code: 200000 }, { reject_reason: null, failure_reason: '' }, { error_code: '0' }],
		...[{ filled: false, replaced: false }, { is_cancelled: true }, { rejected: false }, { result: 'notified' }],
		...[{ data: { order_id: 'o1', status: 'cancelling', order_status: 'accepted', fee_status: 'none', ack: true } }],
	])('is taken as it is beside %j', async (message) => {
		expect(await acknowledgedWith(message)).toMatchObject({ data: { order_id: 'o1', status: 'cancelling' } });
	});

	it.each([{}, { order_id: 'o2' }, { order_id: null }, { original_order_id: 'o2', order_id: 'o1' }])(
		'is of no command whose order it does not name: %j',
		async (data) => {
			expect(await acknowledgedWith({ data: { ...data, status: 'cancelling' } })).toMatchObject({
				code: 'outcome_unknown',
				what: 'The acknowledgement does not identify the order',
			});
			expect(await acknowledgedWith({ data: { order_id: 'O1' } })).toMatchObject({ data: { order_id: 'O1' } });
		},
	);

	it('shows an order that is never sent again, whatever failure it tells', async () => {
		const { stream, sockets, settled } = openStage();
		const sent = command('replace', { stream }).send();
		await settled();
		const { request_id } = sockets[0]!.sent.find(({ type }) => type === 'command')!;
		const data = { original_order_id: 'o1', new_order_id: 'o2', status: 'failed' };
		sockets[0]!.say({ type: 'command_ack', request_id, action: 'order_replace', data });
		expect(await sent).toMatchObject({ proof: 'unknown', showsOrder: true });
	});

	it.each([
		'Canceling',
		'cancel_requested',
		'pending',
		'PENDING_CANCEL',
		'cancelled',
		'QUEUED',
		'accepted',
		'ok',
		'200',
		'',
		null,
	])('is taken where its status is %j', async (status) => {
		expect(await acknowledgedWith({ data: { order_id: 'o1', status } })).toMatchObject({ data: { status } });
	});
});
