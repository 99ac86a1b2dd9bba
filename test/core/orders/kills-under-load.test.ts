import { join } from 'node:path';
import { createClient, type IntentJournal, type Ports, type Recovery } from '@partner-exchange/core';
import { fileJournal } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { newFolder } from '../../support/folder';
import { idleTime } from '../../support/idle-time';
import { accountOf, ordersIn, resting } from '../../support/placing';
import { forAll } from '../../support/opened';

const ORDERS_AT_ONCE = 20;
const TOLD_MS_MAX = 10_000;

const never = (): Promise<never> => new Promise(() => undefined);

describe('a process that is killed while it places many orders', () => {
	const sandbox = forAll(() => startSandbox({ seed: 11 }));
	const folder = newFolder();

	/** Places orders at once; of all of them the process never hears again. Every third request never arrives. */
	async function killed(kill: number, journal: IntentJournal): Promise<Set<string>> {
		const time = idleTime();
		let count = 0;
		let isReady = (): void => undefined;
		const allLeft = new Promise<void>((done) => (isReady = done));
		const send: Ports['send'] = async (request) => {
			if (request.method !== 'POST') return time.ports.send(request);
			const number = count++;
			if (number % 3 !== kill % 3) await time.ports.send(request);
			if (count === ORDERS_AT_ONCE && number === count - 1) isReady();
			return never();
		};
		const client = createClient(accountOf(sandbox), { ...time.ports, send }, { journal: time.journalOf(journal) });
		for (let at = 0; at < ORDERS_AT_ONCE; at += 1)
			void client.order.create({ ...resting, quantity: '1.00', client_order_id: `kill ${kill} order ${at}` });
		await time.during(allLeft);
		return new Set((await journal.open()).map(({ key }) => key));
	}

	it.each([1, 2, 3])(
		'tells each order that exists within ten seconds of the next start, and the others later (kill %i)',
		async (kill) => {
			const file = join(folder, 'orders.jsonl');
			const open = await killed(kill, fileJournal(file));
			expect(open.size).toBe(ORDERS_AT_ONCE);
			const time = idleTime();
			const journal = time.journalOf(fileJournal(file));
			const client = createClient(accountOf(sandbox), time.ports, { journal });
			const startedAt = time.ports.clock.elapsed();
			const told: (Recovery & { afterMs: number })[] = [];
			const recovered = async (): Promise<void> => {
				for await (const recovery of client.recover())
					told.push({ ...recovery, afterMs: time.ports.clock.elapsed() - startedAt });
			};
			await time.during(recovered());
			const placed = new Set(ordersIn(sandbox).map(({ clientOrderId }) => clientOrderId));
			const nameOf = ({ entry }: Recovery): string => String(entry.fields.client_order_id);
			const exist = told.filter((one) => placed.has(nameOf(one)));
			expect(told.map(({ entry }) => entry.key).sort()).toEqual([...open].sort());
			expect(exist.length).toBeGreaterThan(ORDERS_AT_ONCE / 2);
			expect(exist.filter(({ outcome, afterMs }) => outcome !== 'accepted' || afterMs > TOLD_MS_MAX)).toEqual([]);
			for (const { entry } of told) await fileJournal(file).close(entry.key, 'refused', entry.account);
		},
	);
});
