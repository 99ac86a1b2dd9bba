/** What n8n keeps for a trigger, changed in its database: each change is told, and none is taken for a first start. */
import { LOST, seal } from '@partner-exchange/core/adapters';
import type { IDataObject } from 'n8n-workflow';
import { recordOf, staticDataOf } from '../../../nodes/shared/host/static-data';

interface State {
	owner: string;
	checkpoint: object;
	idle: boolean;
}

const state: State = {
	owner: 'account-1',
	checkpoint: { version: 2, topics: { 'user.fills': { seq: 4_200, keys: ['a1', 'b2'] } } },
	idle: true,
};

describe('what n8n stores for a trigger', () => {
	let data: IDataObject;
	const node = { id: 'node-1', name: 'Fills' };
	const openFor = (each: typeof node) =>
		staticDataOf<State>({ getNode: () => each, getWorkflowStaticData: () => data });
	const open = () => openFor(node);
	beforeEach(() => {
		data = {};
		open().write(state);
	});

	it('is read as it was written, also where a database has ordered its fields otherwise', () => {
		const reordered = Object.fromEntries(Object.entries(data[recordOf(node)] as IDataObject).reverse());
		data = JSON.parse(JSON.stringify({ [recordOf(node)]: reordered })) as IDataObject;
		expect(open().read()).toMatchObject(state);
	});

	it('is kept from a second node of the same ID, which a program may have given it, and from none of another', () => {
		expect(() => openFor({ ...node, name: 'Orders' })).toThrow(/the same ID as the node Fills/);
		expect(openFor({ id: 'node-2', name: 'Orders' }).read()).toEqual({});
		expect(open().read()).toMatchObject(state);
	});

	it('goes on with the node under another name, once n8n has activated the workflow again', () => {
		data = JSON.parse(JSON.stringify(data)) as IDataObject;
		expect(openFor({ ...node, name: 'Renamed' }).read()).toMatchObject(state);
	});

	it('is read as an empty checkpoint at the first start, and not as a damaged one', () => {
		data = {};
		expect(open().read()).toEqual({});
	});

	it.each([
		['a number', '4200', '5200'],
		['the name of the version', '"version":1', '"versioo":1'],
		['the checksum', /"checksum":"./.source, '"checksum":"_'],
		['a name that objects have of themselves', '"idle"', '"__proto__"'],
		['a record of something else', /.*/.source, '{"a":1}'],
		['checkpoint gone', /"checkpoint":\{.*\},"idle"/.source, '"idle"'],
	])('is told as damaged where a database has changed %s', (_title, from, to) => {
		const before = JSON.stringify(data[recordOf(node)]);
		const after = before.replace(new RegExp(from), to);
		expect(after).not.toBe(before);
		data = { [recordOf(node)]: JSON.parse(after) as IDataObject };
		expect(() => open().read()).toThrow(/is damaged/);
	});

	it('is lost, and no first start, where another version stored it', () => {
		data = { [recordOf(node)]: seal(state, 99) };
		expect(open().read()).toBe(LOST);
	});
});
