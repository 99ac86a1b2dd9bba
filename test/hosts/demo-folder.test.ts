import { environments } from '@partner-exchange/core/catalogue';
import { hasDemo } from '../../scripts/hosts/demo-folder';
import { addressesOf } from '../../scripts/hosts/n8n-demos';

const node = { id: 'a', name: 'Fills', parameters: { topics: ['user.fills'] }, position: [0, 0] };
const moved = { ...node, position: [40, 20], credentials: { partnerExchangeApi: { id: '7', name: 'Sandbox Demo' } } };

describe('the folder of an earlier start', () => {
	it('holds the demo where its nodes were moved and others were added', () => {
		expect(hasDemo([{ id: 'b' }, moved], [node])).toBe(true);
	});

	it.each([
		['lacks a node', []],
		['sets a node otherwise', [{ ...moved, parameters: { topics: ['trades'] } }]],
	])('holds another demo where it %s', (_what, saved) => {
		expect(hasDemo(saved, [node])).toBe(false);
	});

	it('gets no address stored for a sandbox where it usually is, so that another environment begins with empty fields', () => {
		const { baseUrl, wsUrl } = environments.sandbox;
		expect(addressesOf({ baseUrl, wsUrl })).toEqual({ baseUrl: '', wsUrl: '' });
		const elsewhere = { baseUrl: 'http://127.0.0.1:4711/v1', wsUrl: 'ws://127.0.0.1:4711/v1/ws' };
		expect(addressesOf(elsewhere)).toEqual(elsewhere);
	});
});
