import { startSandbox } from '@partner-exchange/sandbox';
import type { IDataObject } from 'n8n-workflow';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import type { NodeClass } from '../support/engine-host';
import { startTrigger, type RunningTrigger, type TriggerOptions } from '../support/engine-trigger';
import { makeFill } from '../support/fills';
import { credentialFor } from './exchange';
import { forEach } from '../support/opened';

interface Listening extends Omit<TriggerOptions, 'parameters'> {
	parameters?: IDataObject;
	/** The values under Options in the form. */
	form?: IDataObject;
	credential?: IDataObject;
	/** The node of another process of n8n. */
	node?: NodeClass;
}

/** A sandbox for each test and triggers that listen to its fills, as one workflow; both end with the test. */
export function openTriggers() {
	const sandbox = forEach(() =>
		startSandbox({
			settings: { orderDelayMs: 0 },
			keys: [{ key: 'spare', email: 'trader@sandbox.test' }],
		}),
	);
	let tests = 0;
	const open: RunningTrigger[] = [];
	beforeEach(() => void (tests += 1));
	afterEach(async () => await Promise.all(open.splice(0).map((trigger) => trigger.close())));
	const workflow = (name: string): string => `${name}-${tests}`;
	return {
		sandbox: () => sandbox,
		fill: async () => await makeFill(sandbox),
		/** A workflow ID that no other test uses. */
		workflow,
		listen: async (listening: Listening = {}): Promise<RunningTrigger> => {
			const { parameters, form = {}, credential, node = PartnerExchangeTrigger, ...options } = listening;
			const trigger = await startTrigger(node, {
				...credentialFor(sandbox, credential),
				parameters: { topics: ['user.fills'], pairs: [], filters: {}, options: form, ...parameters } as never,
				workflowId: workflow('workflow'),
				...options,
			});
			open.push(trigger);
			return trigger;
		},
	};
}

/** The checkpoint in what n8n stores for a trigger. */
export const checkpointIn = (stored: IDataObject): string =>
	JSON.stringify((stored['value'] as IDataObject | undefined)?.['checkpoint']);
