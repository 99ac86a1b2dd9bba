import type { Item } from '@partner-exchange/core';
import { data, fill, openStage, order } from './stage';

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

	it('keeps order updates subscribed while somebody listens, who gets orders and nothing else', async () => {
		const { stream, sockets, asked, pass, settled, reads } = open();
		const heard: Item[] = [];
		const stop = stream.onOrderUpdate((row) => void heard.push(row));
		await settled();
		sockets[0]!.say(data('user.orders', 1, order('o1', 'accepted')));
		sockets[0]!.say(data('user.orders', 2, { note: 'no order' }));
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await pass(30);
		expect([heard.map(({ id }) => id ?? 'none'), asked().includes('unsubscribe'), reads]).toEqual([['o1'], false, []]);
		stop();
		expect(asked().at(-1)).toBe('unsubscribe');
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

	it('subscribes no order updates once the stream is closed', async () => {
		const { stream, command, state, sockets, pass, timers } = open();
		await stream.close();
		command();
		stream.onOrderUpdate(() => undefined);
		await pass(600);
		expect([state.is.slice(0, 13), sockets.length, timers()]).toEqual(['stream_closed', 0, 0]);
	});
});
