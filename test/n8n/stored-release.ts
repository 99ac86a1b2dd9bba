/** What n8n has stored for a release, continued by the present nodes: nothing is lost, and nothing comes twice. */
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import * as alert from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import * as stream from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { pollOnce, startTrigger } from '../support/engine-trigger';
import {
	fixtureOf,
	goOn,
	newWorld,
	release,
	startService,
	writeFixture,
	type Service,
} from '../support/stored-release';
import { credentialFor } from './exchange';

const PORT = 47_613;
let service: Service;

const listen = async ({ PartnerExchangeTrigger }: typeof stream, nodeStaticData: IDataObject) =>
	await startTrigger(PartnerExchangeTrigger, {
		...credentialFor(service),
		parameters: { topics: ['user.fills'], pairs: [], filters: {}, options: {} },
		nodeStaticData,
	});
const poll = async ({ PartnerExchangeAlertTrigger }: typeof alert, nodeStaticData: IDataObject) =>
	await pollOnce(PartnerExchangeAlertTrigger, {
		...credentialFor(service),
		parameters: { event: 'transaction', filters: {}, options: {} },
		nodeStaticData,
	});

/** Plays the release until both triggers know what there is. */
async function play(folder: string): Promise<void> {
	const packed = async <T>(name: string): Promise<T> =>
		(await import(join(folder, 'n8n/dist/nodes', name, `${name}.node.js`))) as T;
	const world = newWorld();
	service = await startService(PORT, world);
	const trigger = await listen(await packed('PartnerExchangeTrigger'), {});
	service.fill(world.fills[0]!);
	await trigger.waitForItems(1);
	const { staticData } = await poll(await packed('PartnerExchangeAlertTrigger'), {});
	await trigger.close();
	writeFixture('n8n', { ...world, stored: { stream: trigger.staticData(), alert: staticData } });
	await service.close();
}

it('continues from what n8n has stored for an earlier release', async () => {
	if (release) await play(release);
	const { stored, ...world } = fixtureOf('n8n');
	service = await startService(PORT, world);
	goOn(service, world);
	const trigger = await listen(stream, stored['stream'] as IDataObject);
	await trigger.waitForItems(1);
	service.fill(world.missed.later);
	const told = await trigger.waitForItems(2);
	expect(told.map(({ data }) => (data as IDataObject)['id'])).toEqual(['missed', 'later']);
	expect(trigger.notices()).toEqual([]);
	await trigger.close();
	const { items } = await poll(alert, stored['alert'] as IDataObject);
	expect(items.map(({ id, change }) => [id, change])).toEqual([
		['pending', 'status'],
		['missed', 'new'],
	]);
	await service.close();
});
