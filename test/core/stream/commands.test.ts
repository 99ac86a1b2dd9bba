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
	it('sends commands once the order updates are subscribed, with the pair as REST writes it', async () => {
		const { socket, message } = await sendOne();
		expect(socket.sent.map(({ type, topics }) => [type, topics])).toEqual([
			['subscribe', ['user.orders']],
			['command', undefined],
		]);
		expect(message).toEqual({ ...CREATE, type: 'command', action: 'order_create', request_id: message.request_id });
	});

	it('matches an acknowledgement by the request id of its command', async () => {
		const { socket, message, outcome } = await sendOne();
		socket.say({
			type: 'command_ack',
			request_id: message.request_id,
			action: 'order_create',
			data: { order_id: 'o1', status: 'pending' },
		});
		expect((await outcome).ack).toEqual({ action: 'order_create', data: { order_id: 'o1', status: 'pending' } });
	});

	it('sends a command again with a new request id and the same idempotency key', async () => {
		const stage = openStage();
		void stage.stream.command('order_create', CREATE).catch(() => undefined);
		void stage.stream.command('order_create', CREATE).catch(() => undefined);
		await stage.settled();
		const [first, second] = commandsOf(stage);
		expect(first!.request_id).not.toBe(second!.request_id);
		expect([first!.idempotency_key, second!.idempotency_key]).toEqual(['key-1', 'key-1']);
	});

	it('sends every command with an idempotency key', async () => {
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
		['BRAND_NEW', 'outcome_unknown'],
		['INTERNAL_ERROR', 'outcome_unknown'],
		[undefined, 'outcome_unknown'],
	])('a command that fails with the code %s is %s, and keeps the code of the service', async (serviceCode, code) => {
		const { socket, message, outcome } = await sendOne();
		socket.say({
			type: 'command_error',
			request_id: message.request_id,
			code: serviceCode,
			message: 'No, CANARY-key',
		});
		const { error } = await outcome;
		expect(error).toMatchObject({ code, serviceCode, serviceMessage: 'No, [hidden]' });
	});

	it.each([
		['rate_limited', 'rate_limited', 'RATE_LIMITED'],
		['Validation-Failed', 'refused', 'VALIDATION_FAILED'],
	])('a command refused with %s, in letters of another case, is %s', async (spelt, code, serviceCode) => {
		const { socket, message, outcome } = await sendOne();
		socket.say({ type: 'command_error', request_id: message.request_id, code: spelt });
		expect((await outcome).error).toMatchObject({ code, serviceCode });
	});

	it('a command without an answer in time has an unknown outcome, and a late answer harms nothing', async () => {
		const { socket, message, outcome, pass } = await sendOne();
		await pass(10_000);
		expect((await outcome).error).toMatchObject({
			code: 'outcome_unknown',
			message: expect.stringMatching(/was not answered within \d\d seconds/) as string,
		});
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

	it('a command has an unknown outcome when the connection breaks, and is not sent again', async () => {
		const stage = await sendOne();
		stage.socket.close({});
		expect((await stage.outcome).error).toMatchObject({
			code: 'outcome_unknown',
			message: expect.stringContaining('The connection broke before the service answered the command') as string,
		});
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

	it('a command is acknowledged although the update of its order came first', async () => {
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

const CANCEL = { order_id: 'o1' };

/** The stream, and what it asked the service to subscribe and to end. */
function open(options: Parameters<typeof openStage>[0] = {}) {
	const stage = openStage(options);
	const state = { is: 'waiting' };
	const command = (signal?: AbortSignal) =>
		void stage.stream.command('order_cancel', CANCEL, signal).then(
			() => (state.is = 'acknowledged'),
			({ code, message }: Error & { code: string }) => (state.is = `${code}: ${message}`),
		);
	const asked = () => stage.sockets.flatMap(({ sent }) => sent.map(({ type }) => type));
	const pass = (seconds: number) => stage.pass(seconds * 1_000);
	/** A command whose connection fails, so many times, so many seconds apart. */
	const commandInVain = async (times: number, seconds: number): Promise<void> => {
		for (let tries = 0; tries < times; tries += 1) {
			command();
			await stage.settled();
			stage.sockets.at(-1)!.close();
			await pass(seconds);
		}
	};
	return { ...stage, state, command, commandInVain, asked, pass };
}

describe('updates of orders', () => {
	it('keeps order updates subscribed for a minute after the last command, and reads nothing for them', async () => {
		const { command, asked, pass, settled, reads, sockets } = open();
		command();
		await settled();
		expect(asked()).toEqual(['subscribe', 'command']);
		await pass(19);
		sockets[0]!.say({ type: 'pong' });
		command();
		for (let seconds = 0; seconds < 58; seconds += 29) {
			await pass(29);
			sockets[0]!.say({ type: 'pong' });
		}
		expect(asked().filter((type) => type !== 'ping')).toEqual(['subscribe', 'command', 'command']);
		await pass(2);
		expect(asked().at(-1)).toBe('unsubscribe');
		expect(reads).toEqual([]);
	});

	it('gives a listener what a read for somebody else finds since it listens, and nothing from before', async () => {
		const { stream, lists, time, consume, settled, pass } = open();
		const at = (seconds: number) => new Date(time.now() + seconds * 1_000).toISOString();
		const heard: unknown[] = [];
		lists['order.list'] = [order('old', 'filled', '30', { created_at: at(-3_600) })];
		await consume({ topics: ['user.orders'] }).subscription.ready;
		stream.onOrderUpdate(({ id }) => void heard.push(id));
		lists['order.list'] = [order('new', 'accepted', '0', { created_at: at(60) }), ...lists['order.list']];
		await pass(120);
		await settled();
		expect(heard).toEqual(['new']);
	});

	it('sends no command if order updates are not confirmed within ten seconds, and says so', async () => {
		const { command, state, pass } = open({ confirms: false });
		command();
		await pass(9.9);
		expect(state.is).toBe('waiting');
		await pass(0.1);
		expect(state.is).toMatch(/^stream_closed: .*The stream is not connected; nothing was sent/);
	});

	it('tells each command at once that the service cannot be reached, and connects no more often for that', async () => {
		const { commandInVain, state, sockets } = open({ opens: false });
		await commandInVain(100, 0.2);
		expect(state.is).toMatch(/^unreachable: /);
		expect(sockets.length).toBeLessThan(15);
	});

	it('tells a command in a pause between two tries why the one before failed', async () => {
		const { command, commandInVain, state, pass, sockets, settled } = open({ opens: false });
		await commandInVain(8, 16);
		sockets.at(-1)!.close();
		await settled();
		state.is = 'waiting';
		command();
		await pass(10);
		expect(state.is).toMatch(/^unreachable: /);
	});
});
