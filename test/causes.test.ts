/** Every cause the core knows, as both hosts tell it where nobody called: to who listens. docs/errors.md is the table. */
import { ExchangeError, type StreamState } from '@partner-exchange/core';
import type { INode, ITriggerFunctions } from 'n8n-workflow';
import type { Settings } from '../packages/node-red/src/host/types';
import { createReports } from '../nodes/shared/trigger/reports';
import { errorCodes, type ErrorCode } from '../packages/core/src/errors';
import { noticeTexts, stateTexts } from '../packages/core/src/stream/notice-text';
import { nodeStatus, reportOnce } from '../packages/node-red/src/host/status';
import { failedText, type Failure } from '../packages/node-red/src/host/failure';
import { isTransient } from '../nodes/shared/host/errors';

const WHAT = 'It is known what happened';
const ADVICE = 'Do this next';
const codes = Object.keys(errorCodes) as ErrorCode[];

/** What n8n shows: lines of its log, and failed executions, for which it starts the error workflow. */
function n8n() {
	const [logged, failures, emitted]: [string[], Error[], unknown[]] = [[], [], []];
	const host = {
		getNode: () => ({ id: 'node', name: 'Fills' }) as INode,
		getWorkflow: () => ({ id: `workflow-${Math.random()}` }),
		logger: { warn: (text: string) => void logged.push(text) },
		helpers: { createDeferredPromise: () => ({ promise: Promise.resolve(), resolve: () => undefined }) },
		emit: (items: unknown) => void emitted.push(items),
		saveFailedExecution: (error: Error) => void failures.push(error),
	} as unknown as ITriggerFunctions;
	const reports = createReports(host, { notices: true, failure: { afterwards: 'continue' } } as never);
	reports.open();
	return { reports, logged, failures, emitted };
}

/** What Node-RED shows: the message that Catch nodes and the log get, and the status below the node. */
function nodeRed() {
	const [failures, statuses]: [Failure[], { text: string }[]] = [[], []];
	const node = {
		fail: (failure: Failure) => void failures.push(failure),
		status: (status: { text: string }) => void statuses.push(status),
	};
	const status = nodeStatus(node as never, undefined);
	return { listener: { node, status, settings: {} as Settings } as never, status, failures, statuses };
}

describe.each(codes)('the cause %s', (code) => {
	const error = () => new ExchangeError(code, { what: WHAT, serviceMessage: 'because', advice: ADVICE });

	it('is told by a trigger of n8n with what happened, what the service said and what to do', () => {
		const { reports, logged, failures } = n8n();
		reports.failed(error());
		expect(logged.join()).toMatch(new RegExp(`${WHAT}.*because.*${ADVICE}`));
		const said = failures.map(
			(failure) => `${failure.message} ${String((failure as { description?: string }).description)}`,
		);
		expect(said).toEqual(
			isTransient(error()) ? [] : [expect.stringMatching(new RegExp(`${WHAT}.*because.*${ADVICE}`))],
		);
	});

	it('is told by a node of Node-RED with the same, and shown below it in its own words', () => {
		const { listener, failures, statuses } = nodeRed();
		reportOnce(listener, error());
		expect(failures.map(String)).toEqual([expect.stringMatching(new RegExp(`^${ADVICE}.*${WHAT}.*because`))]);
		expect(failures[0]!.cause).toMatchObject({ code, serviceMessage: 'because', advice: ADVICE });
		expect(statuses.map(({ text }) => text)).toEqual([failedText(error())]);
	});
});

it('a topic whose list cannot be read is told once in the log of n8n', () => {
	const { reports, logged } = n8n();
	const notice = { kind: 'degraded', state: 'live', topic: 'user.fills', text: noticeTexts.liveOnly } as const;
	for (let times = 0; times < 3; times += 1) reports.notice(notice);
	reports.notice({ ...notice, text: noticeTexts.backfillFailed('no answer', 5_000) });
	expect(logged).toEqual(['Fills: user.fills: Missed events of this topic cannot be backfilled']);
});

describe.each(Object.keys(stateTexts) as StreamState[])('the state %s of a stream', (state) => {
	it('is told by n8n in an item of the notices, and by Node-RED in a status', () => {
		const [one, other] = [n8n(), nodeRed()];
		one.reports.notice({ kind: 'state', state, text: stateTexts[state] });
		expect(JSON.stringify(one.emitted)).toContain(stateTexts[state]);
		other.status.state(state);
		expect(other.statuses.map(({ text }) => text)).toEqual([expect.stringMatching(/\w/)]);
	});
});
