import { eventKeys, overtaken } from './order';

describe('the order in which fills come through a broker', () => {
	it('counts a fill as overtaken that comes first after a later one, and not one that comes again', () => {
		const turns = ['a', 'b', 'c', 'd'];
		expect(overtaken(['a', 'b', 'a', 'c', 'b', 'd'], turns)).toEqual([]);
		expect(overtaken(['a', 'd', 'b', 'c'], turns)).toEqual(['b', 'c']);
		expect(overtaken(['a', 'c'], turns)).toEqual([]);
	});

	it('reads event keys that a connection brings in pieces', () => {
		const keys: string[] = [];
		const read = eventKeys((key) => keys.push(key));
		const text = 'x{"eventKey":"fill:1","data":{}}yz{"eventKey":"fill:2","data":{}}';
		for (const character of text) read(Buffer.from(character));
		read(Buffer.from(text));
		expect(keys).toEqual(['fill:1', 'fill:2', 'fill:1', 'fill:2']);
	});
});
