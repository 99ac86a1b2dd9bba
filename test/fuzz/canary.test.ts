import { inspect } from 'node:util';
import { createClient, TransportError, type HttpResponse } from '@partner-exchange/core';
import { operationIds, operationOf } from '@partner-exchange/core/catalogue';
import { nodePorts } from '@partner-exchange/core/node';
import { data, fill, openStage } from '../core/stream/stage';
import { leaksIn, spellings } from '../support/canary';
import { inputOf } from '../support/inputs';
import { CANARY, quickClock } from '../support/wire';

const account = {
	...{
		environment: 'sandbox' as const,
		baseUrl: 'http://127.0.0.1:1024/v1',
		wsUrl: 'ws://127.0.0.1:1024/v1/ws',
		apiKey: CANARY,
	},
};
const written = Object.entries(spellings(CANARY));

/** Every way a service can refuse or answer unexpectedly, with a text of its choice in every place. */
const answers: ((said: string) => HttpResponse | TransportError)[] = [
	...[400, 401, 403, 404, 409, 422, 429, 500, 503].flatMap((status) => [
		(said: string) =>
			respond(
				status,
				JSON.stringify({ message: said, code: said, error: { message: said, code: said }, request_id: said }),
				said,
			),
		(said: string) => respond(status, JSON.stringify({ errors: [{ detail: said }], [said]: said }), said),
		(said: string) => respond(status, said, said),
		(said: string) => respond(status, `<html>X-Api-Key: ${said} ?token=${said}</html>`, said),
	]),
	(said) => respond(302, '', said),
	(said) => respond(200, `{"status":"success","data":{"key":"${said}`, said),
	(said) => respond(200, said, said),
	(said) => respond(200, JSON.stringify({ status: 'error', message: said }), said),
	(said) => respond(200, JSON.stringify({ status: 'success', data: everything(said) }), said),
	(said) => respond(200, JSON.stringify({ status: 'success', data: [everything(said)] }), said),
	() => new TransportError('reset', 'perhaps'),
];

const respond = (status: number, body: string, said: string): HttpResponse => ({
	...{ status, body },
	headers: { 'x-request-id': said, 'retry-after': said, location: `https://evil.test/?token=${said}` },
});

/** One record with the text under every field name that is read anywhere. */
function everything(said: string): Record<string, unknown> {
	const names = 'id order_id status reason message pair_id name code account_name currency rail price quantity'.split(
		' ',
	);
	const record = Object.fromEntries([...names, said].map((name) => [name, said]));
	const lists = 'orders fills trades markets transactions balances currencies banks chains candles'.split(' ');
	return { ...record, ...Object.fromEntries(lists.map((name) => [name, [record]])), order: record };
}

/** Everything a host could print, store or display of an invalid response. */
const shownOf = (...things: unknown[]): string =>
	things
		.map(
			(thing) =>
				`${inspect(thing, { depth: 10, showHidden: true })} ${JSON.stringify(thing)} ${(thing as Error)?.stack ?? ''}`,
		)
		.join('\n');

describe('a key that the service sends back', () => {
	// Operations this process answers by itself involve no service.
	const requested = operationIds.filter((id) => operationOf(id).run.via !== 'process');
	// Every operation meets every answer and every spelling, and every answer comes in every spelling.
	it.each(requested.map((id, at) => [id, at] as const))(
		'shows the key in no error and no warning of %s, in no spelling',
		async (id, at) => {
			let ended = 0;
			for (const [each, answer] of answers.entries()) {
				const [spelling, said] = written[(at + each) % written.length]!;
				const reports: unknown[] = [];
				const send = async () => {
					const answered = answer(said);
					if (answered instanceof TransportError) throw answered;
					return await Promise.resolve(answered);
				};
				const client = createClient(account, { ...nodePorts(), send, clock: quickClock() });
				const context = {
					warn: (warning: unknown) => void reports.push(warning),
					signal: AbortSignal.timeout(60_000),
					...(id === 'order.cancelAll' && { options: { wait_seconds: 2 } }),
				};
				const error: unknown = await client.call(id, inputOf(id), context).then(
					() => undefined,
					(reason: unknown) => reason,
				);
				if (error) ended += 1;
				expect(leaksIn({ [`${id}, answer ${each} as ${spelling}`]: shownOf(error, reports) }, CANARY)).toEqual([]);
			}
			expect(ended).toBeGreaterThan(0);
		},
	);

	it('has more operations and more answers than spellings, so that each meets each', () => {
		expect(Math.min(requested.length, answers.length)).toBeGreaterThanOrEqual(written.length);
	});

	it.each(written)('shows the key in nothing of the stream when it comes as %s', async (_, said) => {
		for (const message of [
			{ type: 'error', message: said, code: said, topics: ['user.fills'] },
			{ type: 'error', error: { message: `unauthorized ${said}`, code: said } },
			{ type: 'error', reason: `forbidden ${said}` },
			{ type: 'rate_limited', message: said },
			{ type: 'subscribed', topics: [said], positions: { [said]: { epoch: said, seq: 1 } } },
		]) {
			const stage = openStage({ account: { apiKey: CANARY }, confirms: false });
			const seen = stage.consume({ topics: ['user.fills'] });
			let refusal: unknown;
			seen.subscription.ready.catch((reason: unknown) => (refusal = reason));
			await stage.settled();
			stage.sockets[0]!.say(message);
			stage.sockets[0]!.say(data('user.fills', 1, fill('f1')));
			await stage.pass(120_000);
			await stage.stream.close();
			expect(leaksIn({ [message.type]: shownOf(refusal, seen.failed, seen.notices) }, CANARY)).toEqual([]);
		}
	});

	it.each(written)('shows the key in no refusal of a command when it comes as %s', async (_, said) => {
		const stage = openStage({ account: { apiKey: CANARY } });
		const refused = stage.stream.command('order_create', { pair_id: 'USD/NGN' }).catch((reason: unknown) => reason);
		await stage.settled();
		const { request_id } = stage.sockets.flatMap(({ sent }) => sent).find(({ type }) => type === 'command')!;
		stage.sockets[0]!.say({ type: 'command_error', request_id, code: said, message: said });
		const error = await refused;
		expect(error).toBeInstanceOf(Error);
		expect(leaksIn({ command: shownOf(error) }, CANARY)).toEqual([]);
		await stage.stream.close();
	});
});
