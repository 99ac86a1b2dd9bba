import { differs, holds, unclear, tableOf } from '../../packages/core/src/conformance/finding';

describe('the table of the check', () => {
	const alike = ['order.list.limit', 'order.list.offset', 'order.list.status', 'fill.list.limit'];
	const lines = tableOf([
		holds('market.list.limit', 'pages as asked'),
		...alike.map((about) => unclear(about, 'only 0 records to tell from', 'Run it again')),
		unclear('simulation.kybStatus', 'only a write shows it', 'Run it with --write'),
		differs('market.depth.side', 'the service calls it book_side', 'Enter this name'),
	]).split('\n');

	it('begins with what differs and ends with what holds', () => {
		expect(lines[0]).toMatch(/^market\.depth\.side +differs +the service calls it book_side$/);
		expect(lines.at(-3)).toMatch(/^market\.list\.limit +held +pages as asked$/);
		expect(lines.at(-1)).toBe('7 assumptions: 1 held, 1 differ, 5 could not be told.');
	});

	it('the table of the check has one line for all assumptions unknown for the same reason', () => {
		expect(lines.filter((line) => line.startsWith('could not tell'))).toEqual([
			`could not tell  4: ${alike.slice(0, 3).join(', ')} and 1 more: only 0 records to tell from. Run it again`,
			'could not tell  1: simulation.kybStatus: only a write shows it. Run it with --write',
		]);
	});
});
