import { at, openSubscriptions as open } from './subscriptions-stage';

describe('subscriptions of one connection', () => {
	it('resumes no topic if the account has turned resume off', () => {
		const { request, confirm, sent, reports } = open({ a: { position: at(3) } }, { 'stream.resume': '' });
		request('a');
		expect(sent()).toEqual([{ type: 'subscribe', topics: ['a'], snapshot: false }]);
		confirm('a');
		expect(reports()).toEqual([['confirmed', 'a', undefined, undefined]]);
	});

	it('topics are confirmed by name, or all together if the service names none, each once', () => {
		const { request, confirm, reports, connection } = open({ a: {}, b: {}, c: {} });
		request('a', 'b', 'c');
		confirm('b', 'other', 'b');
		expect(reports().map(([, topic]) => topic)).toEqual(['b']);
		expect(connection.state.phase).toBe('catching_up');
		confirm();
		expect(reports().map(([, topic]) => topic)).toEqual(['a', 'c']);
		expect(connection.state.phase).toBe('live');
		confirm('a');
		expect(reports()).toEqual([]);
	});

	it('a confirmation brings the head and the snapshot of a topic', () => {
		const { request, say, reports } = open({ a: { position: at(3) } });
		request('a');
		say({ type: 'subscribed', topics: ['a'], positions: { a: at(9) }, snapshots: { a: { sequence: 1 } } });
		expect(reports()).toEqual([['confirmed', 'a', at(9), { sequence: 1 }]]);
	});

	it('reconnects when no topic is confirmed within ten seconds', async () => {
		const { request, pass, drops, reports } = open({ a: {} });
		request('a');
		await pass(9.999);
		expect(drops()).toBe(0);
		await pass(0.001);
		expect([drops(), reports()]).toEqual([1, []]);
	});

	it('waits twice as long on each connection that confirms nothing, up to forty seconds', async () => {
		const { request, confirm, say, lose, pass, drops, reopen } = open({ a: {} });
		const endsAfter = async (seconds: number) => {
			const before = drops();
			await pass(seconds - 0.001);
			expect(drops()).toBe(before);
			await pass(0.001);
			expect(drops()).toBe(before + 1);
			await reopen();
		};
		request('a');
		for (const seconds of [10, 10, 20, 40, 40]) await endsAfter(seconds);
		confirm('a');
		for (let minute = 0; minute < 60; minute += 10) {
			await pass(10);
			say({ type: 'pong' });
		}
		lose();
		await reopen();
		await endsAfter(10);
	});

	it('waits ten seconds from the latest request of a topic', async () => {
		const { request, pass, drops } = open({ a: {}, b: {} });
		request('a', 'b');
		await pass(5);
		request('a', 'b');
		await pass(9);
		expect(drops()).toBe(0);
		await pass(1);
		expect(drops()).toBe(1);
	});

	it('waits for no topic that was left', async () => {
		const { request, pass, drops, leave } = open({ a: {}, b: {} });
		request('a', 'b');
		leave('a');
		leave('b');
		await pass(29);
		expect(drops()).toBe(0);
	});

	it('continues with queued topics when the requested one is left', () => {
		const { request, refuse, topics, leave } = open({ a: {}, b: {} });
		request('a', 'b');
		refuse();
		expect(topics()).toEqual(['a,b', 'a']);
		leave('a');
		expect(topics()).toEqual(['b']);
	});

	it('a connection is live when its last unconfirmed topic is left or refused', async () => {
		const left = open({ a: {}, b: {} });
		left.request('a', 'b');
		left.confirm('b');
		expect(left.connection.state.phase).toBe('catching_up');
		left.leave('a');
		expect(left.connection.state.phase).toBe('live');
		const silent = open({ a: {}, b: {} });
		silent.request('a', 'b');
		silent.confirm('b');
		await silent.pass(10);
		expect(silent.connection.state.phase).toBe('live');
	});
});

describe('a topic that is not confirmed while others are', () => {
	it('an unconfirmed topic is requested again alone, and then refused', async () => {
		const { request, confirm, pass, drops, reports, topics } = open({ a: {}, b: {} });
		request('a', 'b');
		confirm('b');
		topics();
		reports();
		await pass(10);
		expect([topics(), reports()]).toEqual([[], []]);
		await pass(1);
		expect(topics()).toEqual(['a']);
		await pass(10);
		const text = expect.stringContaining('does not confirm the topic a') as string;
		expect(reports()).toEqual([['refused', 'a', 'timeout', text, undefined]]);
		expect(drops()).toBe(0);
		await pass(60);
		expect(topics()).toEqual([]);
	});

	it('a late answer confirms a topic, which is requested no more', async () => {
		const { request, confirm, pass, reports, topics } = open({ a: { position: at(3), wasConfirmed: true }, b: {} });
		request('a', 'b');
		confirm('b');
		await pass(10 + 1 + 10 + 5);
		topics();
		reports();
		confirm('a');
		expect(reports()).toEqual([['confirmed', 'a', undefined, undefined]]);
		await pass(60);
		expect([topics(), reports()]).toEqual([[], []]);
	});

	it('a late answer that names no topic confirms no topic', async () => {
		const { request, confirm, pass, reports } = open({ a: {}, b: {} });
		request('a', 'b');
		confirm('b');
		reports();
		await pass(10.5);
		confirm();
		expect(reports()).toEqual([]);
	});
});
