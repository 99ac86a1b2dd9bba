import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { startTrigger, type RunningTrigger, type TriggerOptions } from '../support/engine-trigger';
import { makeFill } from '../support/fills';
import { credentialFor } from './exchange';

interface Listening extends TriggerOptions {
	/** The values under Options in the form. */
	form?: object;
}

/** A sandbox for each test and triggers that listen to its fills, as one workflow; both end with the test. */
export function openTriggers() {
	let sandbox: Sandbox;
	let tests = 0;
	const open: RunningTrigger[] = [];
	beforeEach(async () => {
		sandbox = await startSandbox({ marketMaker: false, settings: { orderDelayMs: 0 } });
		tests += 1;
	});
	afterEach(async () => {
		await Promise.all(open.splice(0).map((trigger) => trigger.close()));
		await sandbox.close();
	});
	const workflow = (name: string): string => `${name}-${tests}`;
	return {
		sandbox: () => sandbox,
		fill: async () => await makeFill(sandbox),
		/** A workflow ID that no other test uses. */
		workflow,
		listen: async ({ form = {}, ...options }: Listening = {}): Promise<RunningTrigger> => {
			const trigger = await startTrigger(PartnerExchangeTrigger, {
				...credentialFor(sandbox),
				parameters: { topics: ['user.fills'], pairs: [], filters: {}, options: form } as never,
				workflowId: workflow('workflow'),
				...options,
			});
			open.push(trigger);
			return trigger;
		},
	};
}
