import { at, openSubscriptions as open } from './subscriptions-stage';

describe('a refused topic', () => {
	it.each([
		['UNAUTHORIZED', 'unauthorized'],
		['FORBIDDEN', 'forbidden'],
		['X', 'refused'],
	])('a topic refused with the code %s is %s, once the refusal is repeated', async (code, ours) => {
		const { request, refuse, reports, topics, pass } = open({ a: {} });
		const refusal = { message: 'no CANARY-key', code, topics: ['a'] };
		request('a');
		refuse(refusal);
		expect([topics(), reports()]).toEqual([['a'], []]);
		await pass(0.999);
		expect(topics()).toEqual([]);
		await pass(0.001);
		expect(topics()).toEqual(['a']);
		refuse(refusal);
		const [[, , said, message, serviceCode]] = reports() as [[string, string, string, string, string]];
		expect([said, serviceCode]).toEqual([ours, code]);
		expect(message).toContain('no ');
		expect(message).not.toContain('CANARY');
		await pass(600);
		expect(topics()).toEqual([]);
	});

	it.each(['UNAUTHORIZED', 'FORBIDDEN', 'invalid_resume'])(
		'a topic refused with the code %s is requested again without its position',
		async (code) => {
			const { request, refuse, sent, pass } = open({ a: { position: at(3) } });
			request('a');
			sent();
			refuse({ code });
			expect(sent()).toEqual([]);
			await pass(1);
			expect(sent()).toEqual([{ type: 'subscribe', topics: ['a'], snapshot: false }]);
		},
	);

	it('a refused topic that the service does not name is found by requesting one topic after the other', async () => {
		const { request, refuse, confirm, topics, reports, pass } = open({ a: {}, b: {}, c: {} });
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
		expect(reports().map(([kind, topic]) => `${String(kind)} ${String(topic)}`)).toEqual([
			'confirmed b',
			'confirmed c',
			'refused a',
		]);
	});

	it('an unnamed refused topic is looked for without positions, and not among confirmed topics', () => {
		const { request, refuse, confirm, sent } = open({ a: { position: at(3) }, b: {}, c: {} });
		request('a', 'b', 'c');
		refuse();
		const requested = () => sent().map(({ topics, resume }) => [topics, resume]);
		expect(requested().slice(-1)).toEqual([[['a'], undefined]]);
		request('c');
		confirm('c');
		sent();
		confirm('a');
		confirm('b');
		expect(requested()).toEqual([[['b'], undefined]]);
	});

	it('a refusal that names no topic refuses no confirmed one', () => {
		const { request, refuse, confirm, sent, reports } = open({ a: { position: at(3) }, b: {} });
		request('a');
		confirm('a');
		sent();
		reports();
		refuse();
		expect([sent(), reports()]).toEqual([[], []]);
	});

	it('a refusal that names only topics of others refuses every requested one', async () => {
		const { request, refuse, topics, pass } = open({ a: {} });
		request('a');
		topics();
		refuse({ topics: ['other'] });
		await pass(1);
		expect(topics()).toEqual(['a']);
	});

	it('a refusal without words is reported in the words of the client', async () => {
		const { request, refuse, reports, pass } = open({ a: {} });
		request('a');
		refuse({ topics: ['a'] });
		await pass(1);
		refuse({ topics: ['a'] });
		const [[, , , message]] = reports() as [[string, string, string, string]];
		expect(message).toBe('Stream: The service refused the subscription. Correct the request as the message says.');
	});

	it('a refused key without a topic refuses every requested one', async () => {
		const { request, refuse, topics, reports, pass } = open({ a: {}, b: {} });
		request('a', 'b');
		topics();
		refuse({ code: 'UNAUTHORIZED' });
		expect(topics()).toEqual([]);
		await pass(1);
		expect(topics()).toEqual(['a']);
		refuse({ code: 'UNAUTHORIZED' });
		expect(topics()).toEqual(['b']);
		refuse({ code: 'UNAUTHORIZED' });
		expect(reports().map(([kind, topic]) => `${String(kind)} ${String(topic)}`)).toEqual(['refused a', 'refused b']);
	});

	it('a refused topic that was confirmed before is requested again at growing pauses', async () => {
		const { request, refuse, topics, reports, pass } = open({ a: { wasConfirmed: true } });
		request('a');
		refuse();
		const pauses: number[] = [];
		for (let refused = 0; refused < 7; refused += 1) {
			await pass(refused === 0 ? 1 : pauses.at(-1)!);
			expect(topics().length).toBeGreaterThan(0);
			refuse();
			pauses.push((reports() as [[string, string, string, number]])[0][3]);
		}
		expect(pauses).toEqual([30, 60, 120, 240, 480, 600, 600]);
	});

	it('the refusals of a topic count from the start once it was left, confirmed or refused for good', async () => {
		const { request, refuse, confirm, reports, topics, pass, leave } = open({ a: {} });
		const isRefusedAtOnce = () => {
			request('a');
			refuse();
			return reports().some(([kind]) => kind === 'refused');
		};
		expect(isRefusedAtOnce()).toBe(false);
		leave('a');
		expect(isRefusedAtOnce()).toBe(false);
		expect(isRefusedAtOnce()).toBe(true);
		expect(isRefusedAtOnce()).toBe(false);
		request('a');
		confirm('a');
		expect(isRefusedAtOnce()).toBe(false);
		leave('a');
		topics();
		await pass(29);
		expect(topics()).toEqual([]);
	});

	it('a refused topic is not requested again after it was left', async () => {
		const { request, refuse, topics, pass, leave } = open({ a: {}, b: {} });
		request('a', 'b');
		refuse();
		topics();
		leave('b');
		refuse();
		expect(topics()).toEqual([]);
		leave('a');
		await pass(5);
		expect(topics()).toEqual([]);
	});
});
