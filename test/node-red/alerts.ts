import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/condition';
import { openCommonBench } from './common-bench';
import { account, call, node, payloadOf, tab } from './flows';
import { forAll } from '../support/opened';

describe('the alerts node', () => {
	const bench = forAll(() => openCommonBench({ settings: { settlementDelayMs: 1_500 } }));
	const from = (id: string) =>
		bench.nodeRed.messages
			.filter((wire) => wire.from === id)
			.map(
				({ message }) => message as { payload: Record<string, unknown>; event: Record<string, unknown>; topic: string },
			);
	const changesOf = (id: string) =>
		from(id).map(({ payload: { change, status, previous_status } }) => ({ change, status, previous_status }));
	const deposit = async (amount: string) => payloadOf(await call(bench.nodeRed, 'deposit', { payload: { amount } }));
	/** A deposit that no node asks for. */
	const simulate = async (email: string, amount: string) =>
		await fetch(`${bench.sandbox.baseUrl}/simulate/fiat/deposits`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ email, amount, currency: 'NGN' }),
		});
	const flows = (apiKey = 'sandbox-key') => [
		tab,
		account(bench.sandbox, { credentials: { apiKey } }),
		...node('transactions', 'alerts', { event: 'transaction', seconds: '1' }, 1),
		...node('completed-only', 'alerts', { event: 'transaction', seconds: '1', status_value: 'completed' }, 1),
		...node(
			'rich',
			'alerts',
			{
				event: 'balance',
				currency: 'NGN',
				threshold: '50005000.00',
				direction: 'above',
				hysteresis: '100.00',
				seconds: '1',
			},
			1,
		),
		...node('low', 'alerts', { event: 'balance', currency: 'NGN', threshold: '90000000.00', seconds: '1' }, 1),
		...node(
			'deposit',
			'simulate-deposit',
			{ operation: 'fiatDeposit', email: 'trader@sandbox.test', currency: 'NGN' },
			1,
		),
	];

	beforeAll(async () => {
		await bench.nodeRed.deploy(flows());
		for (const id of ['transactions', 'completed-only', 'rich']) await bench.nodeRed.waitForStatus(id, /watching/);
	});

	it('the alerts node reports a new transaction and each change of its status once, and no older one', async () => {
		expect(from('transactions')).toEqual([]);
		await deposit('6000.00');
		await until(() => changesOf('transactions').some(({ status }) => status === 'completed'), {
			what: 'the deposit to complete',
			seen: () => changesOf('transactions'),
		});
		expect(changesOf('transactions').at(-1)).toMatchObject({ status: 'completed' });
		const keys = from('transactions').map(({ event }) => event.eventKey);
		expect(new Set(keys).size).toBe(keys.length);
		await until(() => changesOf('completed-only').length > 0, { what: 'the completed one' });
		expect(changesOf('completed-only').every(({ status }) => status === 'completed')).toBe(true);
	});

	it('the alerts node reports a balance that crosses the threshold', async () => {
		const [crossing] = await until(() => from('rich').length > 0 && from('rich'), {
			what: 'the crossing',
		});
		expect(crossing!.payload).toMatchObject({
			currency: 'NGN',
			crossing: 'above',
			previous_value: '50000000.00',
			...{ threshold: '50005000.00', field: 'available' },
		});
		expect(crossing!.topic).toBe('wallet.balance');
	});

	it('the alerts node says in its status on which side of the line the balance is, and at the start that it is past it already', async () => {
		await bench.nodeRed.waitForStatus('low', (status) => status.text === 'watching · below' && status.fill === 'green');
		await bench.nodeRed.waitForStatus('rich', /watching · above/);
		expect(bench.nodeRed.log()).toContain(
			'The balance of NGN is below 90000000.00 already: that is reported only with Tell Also If Already Past It',
		);
		expect(bench.nodeRed.log()).not.toContain('The balance of NGN is above');
		expect(from('low')).toEqual([]);
	});

	it('the alerts node reports after a restart what happened meanwhile, and nothing it reported before', async () => {
		const file = join(bench.nodeRed.userDir, 'partner-exchange', 'transactions.json');
		await until(async () => /"completed"/.test(await readFile(file, 'utf8').catch(() => '')), {
			what: 'what was told to be stored',
		});
		const before = new Set(from('transactions').map(({ event }) => event.eventKey));
		bench.nodeRed.forget();
		const restarting = bench.nodeRed.restart('SIGKILL');
		await simulate('trader@sandbox.test', '70.00');
		await restarting;
		// An earlier deposit may complete first, and this one has to be over before another account reads it.
		const isOver = ({ payload: { amount, status } }: { payload: Record<string, unknown> }) =>
			amount === '70.00' && status === 'completed';
		await until(() => from('transactions').some(isOver), {
			what: 'the deposit',
			seen: () => changesOf('transactions'),
		});
		expect(from('transactions').filter(({ event }) => before.has(event.eventKey))).toEqual([]);
	});

	it('the alerts node begins from now with the key of another account in the same account node, and says so', async () => {
		await simulate('second@sandbox.test', '91.00');
		bench.nodeRed.forget();
		await bench.nodeRed.deploy(flows('sandbox-key-second'));
		await bench.nodeRed.waitForStatus('transactions', /watching/);
		expect(bench.nodeRed.log()).toMatch(/key or the address has changed.*begins from now/);
		await simulate('second@sandbox.test', '92.00');
		await until(() => from('transactions').some(({ payload: { amount } }) => amount === '92.00'), {
			what: 'the deposit made now',
			seen: () => from('transactions'),
		});
		const isNew = ({ payload: { amount, change } }: { payload: Record<string, unknown> }) =>
			amount === '91.00' && change === 'new';
		expect(from('transactions').filter(isNew)).toEqual([]);
		await bench.nodeRed.deploy(flows());
		await bench.nodeRed.waitForStatus('transactions', /watching/);
	});

	it('the alerts node reports nothing twice where the disk takes nothing, and says so', async () => {
		const file = join(bench.nodeRed.userDir, 'partner-exchange', 'transactions.json');
		// The node stores its state each second, so its file may be back before the folder is created.
		const inItsPlace = async (): Promise<void> => {
			await rm(file, { force: true });
			await mkdir(file);
		};
		await until(
			() =>
				inItsPlace().then(
					() => true,
					() => false,
				),
			{ what: 'a folder in the place of the file' },
		);
		// A folder that is not empty cannot be replaced by a file.
		await writeFile(join(file, 'in the way'), '');
		bench.nodeRed.forget();
		for (const completed of [1, 2]) {
			await deposit(`${completed}00.00`);
			await until(() => changesOf('transactions').filter(({ status }) => status === 'completed').length >= completed, {
				what: `deposit ${completed} to complete`,
				seen: () => changesOf('transactions'),
			});
		}
		const keys = from('transactions').map(({ event }) => event.eventKey);
		expect(new Set(keys).size).toBe(keys.length);
		await bench.nodeRed.waitForStatus('transactions', /not stored/);
	});
});
