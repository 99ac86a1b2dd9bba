/** The executions a stream trigger starts after n8n was stopped or killed, given what n8n had stored by then. */
import type { IDataObject } from 'n8n-workflow';
import { startSandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { until as eventually } from '../support/condition';
import { makeFill } from '../support/fills';
import { afterKill, endedIn, startProcess, type Database, type Process, type Start } from './processes';
import { forEach } from '../support/opened';

describe('a stream trigger over stops and kills of n8n', () => {
	const sandbox = forEach(() => startSandbox({ marketMaker: false, settings: { orderDelayMs: 0 } }));
	const witness = forEach(() => start({ node: PartnerExchangeTrigger, workflowId: `witness-${(tests += 1)}` }));
	const open: Process[] = [];
	let tests = 0;

	const start = async (options: Start = {}): Promise<Process> => {
		const process = await startProcess(sandbox, options);
		open.push(process);
		return process;
	};
	afterEach(async () => {
		for (const { held: pending } of open) pending.forEach((each) => each.finish());
		await Promise.all(open.splice(0).map(({ trigger }) => trigger.close()));
	});

	const until = (condition: () => boolean) => eventually(condition, { what: String(condition) });
	const fill = async (): Promise<void> => await makeFill(sandbox);
	/** All events to process, as a workflow that was never interrupted saw them. */
	const owed = async (count: number): Promise<string[]> => {
		await until(() => endedIn(witness.database).length === count);
		return endedIn(witness.database).sort();
	};
	/** Every event is processed; the order of finished executions shows that none is repeated. */
	const processed = async ({ database }: Process, count: number): Promise<string[]> => {
		const events = await owed(count);
		await until(() => events.every((event) => endedIn(database).includes(event)));
		return endedIn(database).sort();
	};
	const isWritten = ({ staticData }: Database) => (staticData['value'] as IDataObject | undefined)?.['idle'] === true;

	describe('after n8n was killed', () => {
		it('starts an interrupted execution again after a kill, under the same event key', async () => {
			const killed = await start({ holds: true });
			await fill();
			await until(() => killed.held.length === 1);
			const next = await start({ database: afterKill(killed) });
			expect(await processed(next, 1)).toEqual(await owed(1));
			expect([...next.database.executions.values()].map(({ status }) => status)).toEqual(['crashed', 'success']);
		});

		it('starts an interrupted execution again also where n8n had not stored that it was in progress', async () => {
			const killed = await start({ holds: true });
			await fill();
			await until(() => killed.held.length === 1);
			killed.held[0]!.finish();
			await until(() => isWritten(killed.database));
			const written = structuredClone(killed.database.staticData);
			await fill();
			await until(() => killed.held.length === 2);
			const next = await start({ database: { ...afterKill(killed), staticData: written } });
			expect(await processed(next, 2)).toEqual(await owed(2));
		});

		it('starts an execution again that ended just before its end was stored, rather than lose it', async () => {
			const killed = await start({ holds: true });
			await fill();
			await until(() => killed.held.length === 1);
			const match = afterKill(killed);
			for (const execution of match.executions.values()) execution.status = 'success';
			const next = await start({ database: match });
			const [event] = await owed(1);
			await until(() => endedIn(next.database).length === 2);
			expect(endedIn(next.database)).toEqual([event, event]);
		});

		it.each([1, 100])(
			'delivers each event once after a kill when the batch comes back in another composition, of %i at most',
			async (max) => {
				const killed = await start({ holds: true });
				await fill();
				await until(() => killed.held.length === 1);
				await fill();
				await fill();
				await owed(3);
				killed.held[0]!.finish();
				await until(() => killed.held.length === 2);
				// Two were being processed, and two more arrive with them.
				const match = afterKill(killed);
				await fill();
				await fill();
				const next = await start({ database: match, parameters: { options: { eventsPerExecution: max } } });
				expect(await processed(next, 5)).toEqual(await owed(5));
			},
		);

		it('loses and repeats nothing however often n8n is killed', async () => {
			let match: Database | undefined;
			for (let kills = 1; kills <= 3; kills += 1) {
				const killed: Process = await start({ database: match, holds: true });
				await fill();
				await until(() => killed.held.length === 1);
				match = afterKill(killed);
			}
			expect(await processed(await start({ database: match }), 3)).toEqual(await owed(3));
		});
	});

	describe('that writes down where it stands', () => {
		const written = ({ trigger }: Process): number =>
			trigger.emissions.filter(({ items }) => items.length === 0).length;

		it('leaves the checkpoint to be stored by the next execution where one follows at once', async () => {
			// Next to an uninterrupted trigger, so that what reached one has reached the other.
			const busy = await start({ holds: true, node: witness.node, workflowId: 'busy' });
			await fill();
			await until(() => busy.held.length === 1);
			await fill();
			await owed(2);
			busy.held[0]!.finish();
			await until(() => busy.held.length === 2);
			expect(written(busy)).toBe(0);
			expect(busy.held[1]!.staticData).toMatchObject({ value: { idle: false } });
			busy.held[1]!.finish();
			await until(() => written(busy) === 1);
		});

		it('gives up storing the checkpoint alone in an n8n without event keys, after one empty execution', async () => {
			const old = await start({ ignoresKeys: true });
			for (let count = 1; count <= 3; count += 1) {
				await fill();
				await owed(count);
				await until(() => endedIn(old.database).length === count);
			}
			expect(written(old)).toBe(1);
		});
	});
});
