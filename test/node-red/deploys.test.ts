import { touches, type Change } from '../../packages/node-red/src/host/deploys';

describe('a deploy', () => {
	const place = { id: 'events', z: 'tab' };
	const partial = (diff: Change['diff'], flows: { id: string; type: string }[] = []): Change => ({
		type: 'nodes',
		diff,
		config: { flows },
	});

	it.each<[string, Change, boolean]>([
		['of everything', { type: 'full' }, true],
		['that changes a config node everybody uses', partial({ globalConfigChanged: true }), true],
		['of nodes elsewhere', partial({ changed: ['other', 'other-tab'] }), false],
		['of the node itself', partial({ changed: ['events'] }), true],
		['of what it is wired to', partial({ changed: ['next'], linked: ['events'] }), true],
		['of its tab', partial({ flowChanged: ['tab'] }), true],
		['that wires it anew', partial({ rewired: ['events'] }), true],
		[
			'that involves a link, whose other end no wire tells',
			partial({ changed: ['a-link'] }, [{ id: 'a-link', type: 'link in' }]),
			true,
		],
		['that involves a subflow', partial({ changed: ['a-subflow'] }, [{ id: 'a-subflow', type: 'subflow' }]), true],
	])('the deploy %s touches the flow of a node: %#', (_, change, touched) => {
		expect(touches(change, place)).toBe(touched);
	});
});
