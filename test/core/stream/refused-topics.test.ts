/* eslint-disable @typescript-eslint/no-explicit-any */
import { at, openSubscriptions as open } from './subscriptions-stage';

describe('topics that are refused', () => {
	it.each([
		['key', 'unauthorized'],
		['forbidden', 'forbidden'],
		['other', 'refused'],
	])('are so for the reason %s, once that is confirmed', async (kind, code) => {
		const { request, refuse, told, topics, pass } = open({ a: {} });
		request('a');
		refuse({ kind, text: 'no CANARY-key', code: 'X', topics: ['a'] });
		expect([topics(), told()]).toEqual([['a'], []]);
		await pass(0.999);
		expect(topics()).toEqual([]);
		await pass(0.001);
		expect(topics()).toEqual(['a']);
		refuse({ kind, text: 'no CANARY-key', code: 'X', topics: ['a'] });
		const [[, , said, message, serviceCode]] = told() as [[string, string, string, string, string]];
		expect([said, serviceCode]).toEqual([code, 'X']);
		expect(message).toContain('no ');
		expect(message).not.toContain('CANARY');
		await pass(600);
		expect(topics()).toEqual([]);
	});

	it('together with a place are asked for without it first', () => {
		const { request, refuse, sent, told } = open({ a: { position: at(3) }, b: {} });
		request('a', 'b');
		sent();
		refuse();
		expect(sent()).toEqual([{ type: 'subscribe', topics: ['a', 'b'], snapshot: false }]);
		expect(told()).toEqual([]);
		request('a', 'b');
		sent();
		refuse({ topics: ['b'] });
		expect(sent()).toEqual([]);
	});

	it('because of the key are not asked for without a place', async () => {
		for (const kind of ['key', 'forbidden']) {
			const { request, refuse, topics, pass } = open({ a: { position: at(3) } });
			request('a');
			topics();
			refuse({ kind });
			expect(topics()).toEqual([]);
			await pass(1);
			expect(topics()).toEqual(['a']);
		}
	});

	it('without being named are asked for one by one, the next when one is decided', async () => {
		const { request, refuse, confirm, topics, told, pass } = open({ a: {}, b: {}, c: {} });
		request('a', 'b', 'c');
		topics();
		refuse();
		expect(topics()).toEqual(['a']);
		refuse();
		expect(topics()).toEqual(['b']);
		confirm('b');
		expect(topics()).toEqual(['c']);
		confirm();
		await pass(1);
		expect(topics()).toEqual(['a']);
		refuse();
		expect(told().map(([kind, topic]: any) => `${kind} ${topic}`)).toEqual(['confirmed b', 'confirmed c', 'refused a']);
	});

	it('without being named are asked for one by one without a place, and no more once they are there', () => {
		const { request, refuse, confirm, sent } = open({ a: { position: at(3) }, b: {}, c: {} });
		request('a', 'b', 'c');
		refuse();
		refuse();
		const asked = () => sent().map(({ topics, resume }) => [topics, resume]);
		expect(asked().slice(-1)).toEqual([[['a'], undefined]]);
		request('c');
		confirm('c');
		sent();
		confirm('a');
		confirm('b');
		expect(asked()).toEqual([[['b'], undefined]]);
	});

	it('are none of those that are there where no topic is named', () => {
		const { request, refuse, confirm, sent, told } = open({ a: { position: at(3) }, b: {} });
		request('a');
		confirm('a');
		sent();
		told();
		refuse();
		expect([sent(), told()]).toEqual([[], []]);
	});

	it('are all that were asked for where only topics of others are named', async () => {
		const { request, refuse, topics, pass } = open({ a: {} });
		request('a');
		topics();
		refuse({ topics: ['other'] });
		await pass(1);
		expect(topics()).toEqual(['a']);
	});

	it('are told without words or a code where the service says none', async () => {
		const { request, refuse, told, pass } = open({ a: {} });
		request('a');
		refuse({ topics: ['a'] });
		await pass(1);
		refuse({ topics: ['a'] });
		const [[, , , message]] = told() as [[string, string, string, string]];
		expect(message).toBe('Stream: The service refused the subscription. Correct the request as the message says.');
	});

	it('because of the key are all refused, although none is named', async () => {
		const { request, refuse, topics, told, pass } = open({ a: {}, b: {} });
		request('a', 'b');
		topics();
		refuse({ kind: 'key' });
		expect(topics()).toEqual([]);
		await pass(1);
		expect(topics()).toEqual(['a']);
		refuse({ kind: 'key' });
		expect(topics()).toEqual(['b']);
		refuse({ kind: 'key' });
		expect(told().map(([kind, topic]: any) => `${kind} ${topic}`)).toEqual(['refused a', 'refused b']);
	});

	it('and were there before are asked for again at growing pauses', async () => {
		const { request, refuse, topics, told, pass } = open({ a: { wasConfirmed: true } });
		request('a');
		refuse();
		const pauses: number[] = [];
		for (let refused = 0; refused < 7; refused += 1) {
			await pass(refused === 0 ? 1 : pauses.at(-1)!);
			expect(topics().length).toBeGreaterThan(0);
			refuse();
			pauses.push((told() as [[string, string, string, number]])[0][3]);
		}
		expect(pauses).toEqual([30, 60, 120, 240, 480, 600, 600]);
	});

	it('begin to count anew once they are confirmed, let go or refused for good', async () => {
		const { request, refuse, confirm, told, topics, pass, subscriptions } = open({ a: {} });
		const isRefusedAtOnce = () => {
			request('a');
			refuse();
			return told().some(([kind]: any) => kind === 'refused');
		};
		expect(isRefusedAtOnce()).toBe(false);
		request('a');
		confirm('a');
		expect(isRefusedAtOnce()).toBe(false);
		subscriptions.cancel('a');
		expect(isRefusedAtOnce()).toBe(false);
		expect(isRefusedAtOnce()).toBe(true);
		expect(isRefusedAtOnce()).toBe(false);
		subscriptions.reset();
		topics();
		await pass(600);
		expect(topics()).toEqual([]);
	});

	it('are not asked for again where nobody has them any more', async () => {
		const { request, refuse, topics, pass, channels } = open({ a: {}, b: {} });
		request('a', 'b');
		refuse();
		topics();
		channels.delete('b');
		refuse();
		expect(topics()).toEqual([]);
		channels.delete('a');
		await pass(5);
		expect(topics()).toEqual([]);
	});
});
