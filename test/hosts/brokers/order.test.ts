/** A broker keeps the order of an account's fills as far as to the flow of one consumer. */
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import { eventKeys, overtaken } from './order';
import { catchUp, play } from './play';
import { openStage, type Stage } from './stage';

const FILLS = 20;

describe('the order of fills', () => {
	let stage: Stage | undefined;
	afterEach(async () => await stage?.close());

	it.each([mosquitto, rabbitmq])(
		'$name brings fills to a consumer as they came, while it and the network are cut off in turns',
		async (broker) => {
			stage = await openStage({ broker, reader: 'node-red', consumer: 'node-red' });
			await play(stage, { fillsPerKill: FILLS, victims: ['consumer', 'network'] });
			expect(stage.arrived()).toBeGreaterThan(FILLS);
			expect(await stage.overtakenFills()).toEqual([]);
		},
	);

	it('notices a consumer that takes two fills in the other order', async () => {
		stage = await openStage({ broker: mosquitto, reader: 'node-red', consumer: 'node-red', swaps: true });
		stage.fills(FILLS);
		await catchUp(stage);
		expect(await stage.overtakenFills()).not.toEqual([]);
	});

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
