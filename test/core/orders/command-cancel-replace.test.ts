import {
	createClient,
	createAccountMemory,
	createStream,
	ExchangeError,
	type Clock,
	type CommandAck,
	type Stream,
} from '@partner-exchange/core';
import type { CommandAction, OperationId } from '@partner-exchange/core/catalogue';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { accountOf, errorOf, ordersIn, quickClient, resting, streamingClient } from '../../support/placing';
import { quickClock } from '../../support/wire';
import { forAll } from '../../support/opened';

const { openSocket: wsSocket } = nodePorts();

type Fields = Readonly<Record<string, unknown>>;

/** A command channel that replies as configured and records what was sent. */
function scripted(...answers: readonly (Fields | ExchangeError | (() => unknown))[]) {
	const sent: { action: CommandAction; fields: Fields }[] = [];
	const command = async (action: CommandAction, fields: Fields): Promise<CommandAck> => {
		const answer = answers[Math.min(sent.length, answers.length - 1)]!;
		sent.push({ action, fields });
		if (answer instanceof ExchangeError) throw answer;
		if (typeof answer !== 'function') return { action, data: answer };
		await answer();
		throw lost;
	};
	return { sent, commands: () => ({ command }) };
}

const lost = new ExchangeError('outcome_unknown', {
	what: 'The connection broke before the service answered the command',
});
const refusedWith = (code: 'outcome_unknown' | 'conflict', serviceCode: string) =>
	new ExchangeError(code, { what: 'The service refused the command', serviceCode });

describe('cancelling and replacing', () => {
	// The clock of a quick client skips all waits, so the order itself must not take longer.
	const sandbox = forAll(() => startSandbox({ settings: { orderDelayMs: 0 } }));
	const streams: Stream[] = [];
	beforeEach(() => sandbox.reset());
	afterEach(async () => {
		sandbox.faults.disarm();
		await Promise.all(streams.splice(0).map((stream) => stream.close()));
	});

	function live(clock?: Clock) {
		const { client, stream } = streamingClient(accountOf(sandbox), clock);
		streams.push(stream);
		return client;
	}
	async function place(): Promise<{ pair_id: string; order_id: string }> {
		const options = { wait: 'accepted' as const };
		const { order_id } = await quickClient(accountOf(sandbox)).order.create(resting, { options });
		return { pair_id: 'USD/NGN', order_id };
	}
	const second = () => quickClient(accountOf(sandbox, 'sandbox-key-second'));
	const arrived = () => sandbox.requests.map(({ method, path }) => `${method} ${path}`);

	it('cancels over the stream and calls no REST path that is not shown', async () => {
		const target = await place();
		const item = await live().order.cancel(target, { options: { wait: 'final' } });
		expect(item).toMatchObject({ order_id: target.order_id, status: 'cancelled', acknowledgement: 'cancelling' });
		expect(arrived().filter((line) => !/^GET .*\/(orders|markets|fills)/.test(line) && !line.includes('/ws'))).toEqual([
			'POST /v1/partner/exchange/orders',
		]);
	});

	it('says that a client without a stream cannot cancel', async () => {
		const error = await errorOf(quickClient(accountOf(sandbox)).order.cancel(await place()));
		expect(error).toMatchObject({ code: 'not_available' });
	});

	it("never shows a command's acknowledgement as the status of the order", async () => {
		const target = await place();
		const { commands } = scripted({ order_id: target.order_id, status: 'cancelling', cancelled_at: 'now' });
		const item = await quickClient(accountOf(sandbox), { commands }).order.cancel(target);
		expect(item).toMatchObject({ status: 'accepted', acknowledgement: 'cancelling', cancelled_at: 'now' });
	});

	it('reports an order that filled while it was cancelled as filled', async () => {
		const target = await place();
		const { commands } = scripted({ order_id: target.order_id, status: 'cancelling' });
		await second().order.create({ ...resting, side: 'sell' }, {});
		const item = await quickClient(accountOf(sandbox), { commands }).order.cancel(target, {
			options: { wait: 'final' },
		});
		expect(item).toMatchObject({ status: 'filled', filled_quantity: '10.00', wait: { reached: true } });
	});

	it('answers a refused cancel of a filled order with the filled order', async () => {
		const target = await place();
		await second().order.create({ ...resting, side: 'sell' }, { options: { wait: 'final' } });
		const item = await live().order.cancel(target);
		expect(item).toMatchObject({ order_id: target.order_id, status: 'filled' });
	});

	it('shows the filled quantity of a cancelled order', async () => {
		const target = await place();
		await second().order.create({ ...resting, side: 'sell', quantity: '4.00' }, { options: { wait: 'final' } });
		const item = await live().order.cancel(target, { options: { wait: 'final' } });
		expect(item).toMatchObject({ status: 'cancelled', filled_quantity: '4.00' });
	});

	it('reads the order before it repeats a command whose acknowledgement was lost', async () => {
		const target = await place();
		const { sent, commands } = scripted(lost, { order_id: target.order_id, status: 'cancelling' });
		const seen: number[] = [];
		const before = sandbox.requests.length;
		const client = quickClient(accountOf(sandbox), {
			commands: () => ({
				command: (action, fields) => (seen.push(sandbox.requests.length - before), commands().command(action, fields)),
			}),
		});
		await client.order.cancel(target);
		expect(sent).toHaveLength(2);
		expect(seen[1]).toBeGreaterThan(seen[0]!);
	});

	it('resolves a cancel whose acknowledgement was lost by reading, once', async () => {
		const target = await place();
		const real = live();
		const { sent, commands } = scripted(() => real.order.cancel(target, { options: { wait: 'final' } }));
		const item = await quickClient(accountOf(sandbox), { commands }).order.cancel(target);
		expect(item).toMatchObject({ order_id: target.order_id, status: 'cancelled' });
		expect(sent).toHaveLength(1);
	});

	it('takes the order update as a hint and stops retrying a command', async () => {
		const target = await place();
		const { sent, commands } = scripted(() => undefined);
		let hear: ((data: unknown) => void) | undefined;
		let pausing: (() => void) | undefined;
		const isPausing = new Promise<void>((resolve) => (pausing = resolve));
		// Pauses on this clock never end, so only the wakeup can continue the run.
		const clock: Clock = {
			now: () => 0,
			elapsed: () => 0,
			after: (delayMs) => (delayMs > 0 && pausing?.(), () => undefined),
		};
		const client = createClient(
			accountOf(sandbox),
			{ ...nodePorts(), clock },
			{ commands, orderEvents: (listener) => ((hear = listener), () => undefined) },
		);
		const cancelled = client.order.cancel(target);
		await isPausing;
		sandbox.engine.apply({
			kind: 'order_cancel',
			accountId: 'trader',
			fields: target,
			key: 'elsewhere',
			fingerprint: '',
		});
		sandbox.engine.advanceTo(sandbox.engine.state.now + 1_000);
		hear!({ id: target.order_id, status: 'cancelled' });
		expect(await cancelled).toMatchObject({ status: 'cancelled' });
		expect(sent).toHaveLength(1);
	});

	it('subscribes to order updates before a command leaves on a fresh connection', async () => {
		const target = await place();
		const said: string[] = [];
		const account = accountOf(sandbox);
		const openSocket: typeof wsSocket = (url, handlers) => {
			const socket = wsSocket(url, handlers);
			return { ...socket, send: (text) => (said.push(text), socket.send(text)) };
		};
		const stream = createStream({ ...nodePorts(), account, client: quickClient(account), openSocket });
		streams.push(stream);
		await quickClient(account, { commands: () => stream }).order.cancel(target);
		const types = said.map((text) => JSON.parse(text) as { type: string; topics?: string[] });
		const subscribed = types.findIndex(({ type, topics }) => type === 'subscribe' && topics?.includes('user.orders'));
		expect(subscribed).toBeGreaterThanOrEqual(0);
		expect(types.findIndex(({ type }) => type === 'command')).toBeGreaterThan(subscribed);
	});

	it('completes a command whose order update comes before the acknowledgement', async () => {
		const target = await place();
		const real = live();
		const input = { ...target, quantity: '20.00', price: '1390.00' };
		let hear: ((data: unknown) => void) | undefined;
		const sent: Fields[] = [];
		const command = async (action: CommandAction, fields: Fields): Promise<CommandAck> => {
			sent.push(fields);
			const made = (await real.call<OperationId>('order.replace', input, { intent: 'a' })) as Fields;
			hear?.({ id: made.new_order_id, client_order_id: fields.client_order_id, status: 'pending' });
			return {
				action,
				data: { original_order_id: target.order_id, new_order_id: made.new_order_id, status: 'replacing' },
			};
		};
		const client = quickClient(accountOf(sandbox), {
			commands: () => ({ command }),
			orderEvents: (listener) => ((hear = listener), () => undefined),
		});
		expect(await client.order.replace(input, { intent: 'a' })).toMatchObject({
			new_order_id: ordersIn(sandbox)[1]!.id,
			acknowledgement: 'replacing',
		});
		expect(sent).toHaveLength(1);
	});

	it('repeats a command under the same explicit key', async () => {
		const target = await place();
		const { sent, commands } = scripted(lost, lost, { order_id: target.order_id, status: 'cancelling' });
		await quickClient(accountOf(sandbox), { commands }).order.cancel(target, { intent: 'a' });
		expect(sent).toHaveLength(3);
		const keys = sent.map(({ fields }) => fields.idempotency_key);
		expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
		expect(new Set(keys).size).toBe(1);
		expect(sent[0]!.fields).not.toHaveProperty('request_id');
	});

	it('leaves a command unknown that failed with a code of no refusal while the order is open, and keeps the code', async () => {
		const { commands } = scripted(refusedWith('outcome_unknown', 'INTERNAL_ERROR'));
		const error = await errorOf(quickClient(accountOf(sandbox), { commands }).order.cancel(await place()));
		expect(error).toMatchObject({ code: 'outcome_unknown', serviceCode: 'INTERNAL_ERROR' });
	});

	it('does not treat an unknown code as the refusal of a command that was done', async () => {
		const target = await place();
		const real = live();
		const sent: string[] = [];
		const command = async (action: CommandAction) => {
			sent.push(action);
			await real.order.cancel(target, { options: { wait: 'final' } });
			throw refusedWith('outcome_unknown', 'MARKET_ASLEEP');
		};
		const client = quickClient(accountOf(sandbox), { commands: () => ({ command }) });
		expect(await client.order.cancel(target)).toMatchObject({ status: 'cancelled' });
		expect(sent).toHaveLength(1);
	});

	it('answers a replace with both orders and waits for the new one', async () => {
		const target = await place();
		const item = await live().order.replace(
			{ ...target, quantity: '20.00', price: '1390.00' },
			{ options: { wait: 'accepted' } },
		);
		const [original, replacement] = ordersIn(sandbox);
		expect(item).toMatchObject({
			original_order_id: original!.id,
			new_order_id: replacement!.id,
			order_id: replacement!.id,
			status: 'accepted',
			quantity: '20.00',
		});
	});

	it('finds the replacement of a command whose acknowledgement was lost, and makes no second one', async () => {
		const target = await place();
		const real = live();
		const memory = createAccountMemory();
		const input = { ...target, quantity: '20.00', price: '1390.00' };
		const { sent, commands } = scripted(() =>
			real.order.replace(input, { intent: 'a', options: { wait: 'accepted' } }),
		);
		const item = await quickClient(accountOf(sandbox), { commands, memory }).order.replace(input, { intent: 'a' });
		expect(item).toMatchObject({ original_order_id: target.order_id, new_order_id: ordersIn(sandbox)[1]!.id });
		expect(ordersIn(sandbox)).toHaveLength(2);
		expect(sent).toHaveLength(1);
	});

	it('refuses to replace a filled order, and places nothing in its stead', async () => {
		const target = await place();
		await second().order.create({ ...resting, side: 'sell' }, { options: { wait: 'final' } });
		const error = await errorOf(live(quickClock()).order.replace({ ...target, quantity: '20.00', price: '1390.00' }));
		expect(error).toMatchObject({ code: 'conflict', details: { status: 'filled' } });
		expect(ordersIn(sandbox)).toHaveLength(1);
	});
});
