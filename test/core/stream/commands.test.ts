import { data, openStage, order } from './stage';

const CREATE = {
	pair_id: 'USD/NGN',
	side: 'buy',
	order_type: 'limit',
	quantity: '10',
	price: '1500',
	idempotency_key: 'key-1',
};
const commandsOf = (stage: ReturnType<typeof openStage>) =>
	stage.sockets.flatMap(({ sent }) => sent).filter(({ type }) => type === 'command');

/** A stage with one command in flight. */
async function sendOne(fields: Record<string, unknown> = CREATE, options = {}) {
	const stage = openStage(options);
	const outcome = stage.stream.command('order_create', fields).then(
		(ack) => ({ ack, error: undefined }),
		(error: unknown) => ({ ack: undefined, error }),
	);
	await stage.settled();
	return { ...stage, outcome, message: commandsOf(stage)[0]!, socket: stage.sockets[0]! };
}

describe('a topic that was refused while somebody listens for orders', () => {
	it('requests order updates again for the next command after they were refused', async () => {
		const stage = openStage({ confirms: false });
		stage.stream.onOrderUpdate(() => undefined);
		await stage.settled();
		for (let refusals = 0; refusals < 2; refusals += 1) {
			stage.sockets[0]!.say({ type: 'error', code: 'unavailable', topics: ['user.orders'] });
			await stage.pass(2_000);
		}
		const before = stage.sockets[0]!.sent.length;
		const seen = stage.consume({ topics: ['user.orders'], retriesFirstConnection: true });
		await stage.settled();
		expect(stage.sockets[0]!.sent.slice(before)).toMatchObject([{ type: 'subscribe', topics: ['user.orders'] }]);
		stage.sockets[0]!.say({ type: 'subscribed', topics: ['user.orders'] });
		await expect(seen.subscription.ready).resolves.toBeUndefined();
	});
});

describe('commands', () => {
	it('sends commands once the order updates are subscribed, with the pair as REST writes it (checklist 111, 146)', async () => {
		const { socket, message } = await sendOne();
		expect(socket.sent.map(({ type, topics }) => [type, topics])).toEqual([
			['subscribe', ['user.orders']],
			['command', undefined],
		]);
		expect(message).toEqual({ ...CREATE, type: 'command', action: 'order_create', request_id: message.request_id });
	});

	it('matches an acknowledgement by the request id of its command (checklist 140)', async () => {
		const { socket, message, outcome } = await sendOne();
		socket.say({
			type: 'command_ack',
			request_id: message.request_id,
			action: 'order_create',
			data: { order_id: 'o1', status: 'pending' },
		});
		expect((await outcome).ack).toEqual({ action: 'order_create', data: { order_id: 'o1', status: 'pending' } });
	});

	it('sends a command again with a new request id and the same idempotency key (checklist 143)', async () => {
		const stage = openStage();
		void stage.stream.command('order_create', CREATE).catch(() => undefined);
		void stage.stream.command('order_create', CREATE).catch(() => undefined);
		await stage.settled();
		const [first, second] = commandsOf(stage);
		expect(first!.request_id).not.toBe(second!.request_id);
		expect([first!.idempotency_key, second!.idempotency_key]).toEqual(['key-1', 'key-1']);
	});

	it('sends every command with an idempotency key (checklist 143)', async () => {
		const { idempotency_key: _, ...unnamed } = CREATE;
		const { message } = await sendOne(unnamed);
		expect(message.idempotency_key).toBe(message.request_id);
	});

	it.each([
		['UNAUTHORIZED', 'unauthorized'],
		['FORBIDDEN', 'forbidden'],
		['VALIDATION_FAILED', 'refused'],
		['CONFLICT', 'conflict'],
		['RATE_LIMITED', 'rate_limited'],
		['BRAND_NEW', 'refused'],
	])(
		'a command refused with %s is %s, and keeps the code of the service (checklist 144)',
		async (serviceCode, code) => {
			const { socket, message, outcome } = await sendOne();
			socket.say({
				type: 'command_error',
				request_id: message.request_id,
				code: serviceCode,
				message: 'No, CANARY-key',
			});
			const { error } = await outcome;
			expect(error).toMatchObject({ code, serviceCode, serviceMessage: 'No, [hidden]' });
		},
	);

	it.each([
		['rate_limited', 'rate_limited', 'RATE_LIMITED'],
		['Validation-Failed', 'refused', 'VALIDATION_FAILED'],
	])('a command refused with %s, in letters of another case, is %s', async (spelt, code, serviceCode) => {
		const { socket, message, outcome } = await sendOne();
		socket.say({ type: 'command_error', request_id: message.request_id, code: spelt });
		expect((await outcome).error).toMatchObject({ code, serviceCode });
	});

	it('a command without an answer in time has an unknown outcome, and a late answer harms nothing (checklist 140)', async () => {
		const { socket, message, outcome, pass } = await sendOne();
		await pass(10_000);
		expect((await outcome).error).toMatchObject({ code: 'outcome_unknown' });
		for (const request_id of [message.request_id, message.request_id, 'nobody', undefined]) {
			socket.say({ type: 'command_ack', request_id, action: 'order_create', data: {} });
			socket.say({ type: 'command_error', request_id, code: 'CONFLICT', message: 'late' });
		}
	});

	it('a thousand commands at most wait for their answer, and each answer makes room', async () => {
		const stage = openStage();
		const outcomes = Array.from({ length: 1_001 }, () =>
			stage.stream.command('order_create', CREATE).then(
				() => 'answered',
				({ code }: { code: string }) => code,
			),
		);
		await stage.settled();
		const sent = commandsOf(stage);
		expect([sent.length, await outcomes[1_000]]).toEqual([1_000, 'limit_reached']);
		const answer = ({ request_id }: Record<string, unknown>) =>
			stage.sockets[0]!.say({ type: 'command_ack', request_id, action: 'order_create', data: {} });
		answer(sent[0]!);
		expect(await outcomes[0]).toBe('answered');
		const timers = stage.timers();
		void stage.stream.command('order_create', CREATE).catch(() => undefined);
		await stage.settled();
		expect([commandsOf(stage).length, stage.timers()]).toEqual([1_001, timers + 1]);
	});

	it('a command waits on although another connection breaks', async () => {
		const stage = await sendOne();
		await stage.consume({ topics: ['trades.USD_NGN'] }).subscription.ready;
		stage.sockets[1]!.close({});
		stage.socket.say({ type: 'command_ack', request_id: stage.message.request_id, action: 'order_create', data: {} });
		expect((await stage.outcome).error).toBeUndefined();
	});

	it('an acknowledgement that comes twice, or for no command, is not an unknown message', async () => {
		const stage = await sendOne();
		const seen = stage.consume({ topics: ['user.orders'] });
		await seen.subscription.ready;
		for (const request_id of [stage.message.request_id, stage.message.request_id, 'nobody'])
			stage.socket.say({ type: 'command_ack', request_id, action: 'order_create', data: {} });
		expect(seen.subscription.counters().ignored).toBe(0);
	});

	it('a refusal without words says what its code means, and nothing more', async () => {
		const { socket, message, outcome } = await sendOne();
		socket.say({ type: 'command_error', request_id: message.request_id, code: 'CONFLICT' });
		expect((await outcome).error).toMatchObject({ code: 'conflict', serviceMessage: undefined });
	});

	it('a command has an unknown outcome when the connection breaks, and is not sent again (checklist 139)', async () => {
		const stage = await sendOne();
		stage.socket.close({});
		expect((await stage.outcome).error).toMatchObject({ code: 'outcome_unknown' });
		await stage.pass(30_000);
		expect(commandsOf(stage)).toHaveLength(1);
	});

	it('a command has an unknown outcome when it is stopped after it was sent', async () => {
		const stage = openStage();
		const stop = new AbortController();
		const outcome = stage.stream
			.command('order_cancel', { order_id: 'o1' }, stop.signal)
			.catch((error: unknown) => error);
		await stage.settled();
		stop.abort();
		expect(await outcome).toMatchObject({ code: 'outcome_unknown' });
	});

	it.each([
		['there is no connection', { opens: false }, 'unreachable'],
		['the order updates are not confirmed', { confirms: false }, 'stream_closed'],
		['there is no key', { account: { apiKey: '' } }, 'invalid_account'],
	])('a command is not sent when %s', async (_, options, code) => {
		const stage = await sendOne(CREATE, options);
		await stage.pass(10_000);
		expect((await stage.outcome).error).toMatchObject({ code });
		expect(commandsOf(stage)).toEqual([]);
		await stage.stream.close();
		expect(stage.timers()).toBe(0);
	});

	it('a command is acknowledged although the update of its order came first (checklist 141)', async () => {
		const stage = openStage();
		const heard: unknown[] = [];
		const stop = stage.stream.onOrderUpdate((update) => heard.push(update.client_order_id));
		const outcome = stage.stream.command('order_create', { ...CREATE, client_order_id: 'mine' });
		await stage.settled();
		stage.sockets[0]!.say(data('user.orders', 1, order('o1', 'pending', '0', { client_order_id: 'mine' })));
		stage.sockets[0]!.say({
			type: 'command_ack',
			request_id: commandsOf(stage)[0]!.request_id,
			action: 'order_create',
			data: { order_id: 'o1' },
		});
		await expect(outcome).resolves.toMatchObject({ data: { order_id: 'o1' } });
		expect(heard).toEqual(['mine']);
		stop();
	});

	it('closes the connection a while after the last command', async () => {
		const { socket, message, outcome, pass, timers } = await sendOne();
		socket.say({ type: 'command_ack', request_id: message.request_id, action: 'order_create', data: {} });
		await outcome;
		await pass(95_000);
		expect(socket.isTerminated).toBe(true);
		expect(timers()).toBe(0);
	});
});
