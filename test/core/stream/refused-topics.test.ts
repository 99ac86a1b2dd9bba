/* eslint-disable @typescript-eslint/no-explicit-any */
import { at, openSubscriptions as open } from './subscriptions-stage';

describe('topics that are refused', () => {
	it.each([
		['key', 'unauthorized'],
		['forbidden', 'forbidden'],
		['other', 'refused'],
	])('refuses a topic for the reason %s, once that is confirmed', async (kind, code) => {
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

	it('requests a topic without a place first that was refused together with a place', () => {
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

	it('does not request a topic without a place that was refused for the key', async () => {
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

	it('requests topics one by one that were refused without a name, the next when one is decided', async () => {
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

	it('requests topics one by one without a place that were refused without a name, and no more once they are confirmed', () => {
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

	it('a refusal without a name refuses no confirmed topic', () => {
		const { request, refuse, confirm, sent, told } = open({ a: { position: at(3) }, b: {} });
		request('a');
		confirm('a');
		sent();
		told();
		refuse();
		expect([sent(), told()]).toEqual([[], []]);
	});

	it('a refusal that names only topics of others refuses all requested topics', async () => {
		const { request, refuse, topics, pass } = open({ a: {} });
		request('a');
		topics();
		refuse({ topics: ['other'] });
		await pass(1);
		expect(topics()).toEqual(['a']);
	});

	it('reports a refused topic without words or a code if the service gives none', async () => {
		const { request, refuse, told, pass } = open({ a: {} });
		request('a');
		refuse({ topics: ['a'] });
		await pass(1);
		refuse({ topics: ['a'] });
		const [[, , , message]] = told() as [[string, string, string, string]];
		expect(message).toBe('Stream: The service refused the subscription. Correct the request as the message says.');
	});

	it('a refusal for the key refuses all topics, although it names none', async () => {
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

	it('requests a topic again at growing pauses that was refused after it was confirmed', async () => {
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

	it('counts refusals of a topic from the start once it is confirmed, dropped or refused for good', async () => {
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

	it('does not request a refused topic again that nobody wants any more', async () => {
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
