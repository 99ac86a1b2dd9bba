/** Node-RED writes the value of a variable in place of its name, so one that is empty leaves a property as if nobody had filled it in. */
import { isWrite } from '@partner-exchange/core/catalogue';
import { palette } from '../../packages/node-red/src/palette';
import { openCommonBench } from './common-bench';
import { account, call, node, payloadOf, tab } from './flows';
import { forAll } from '../support/opened';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1400.00' };
const writes = palette.filter(({ offers }) => offers.some(({ operation }) => isWrite(operation)));
/** Each property of each node that writes, in the operation that shows it. */
const properties = writes.flatMap(({ name, rows }) =>
	rows.map(({ property, verbs }) => ({ id: `${name}.${property}`, name, property, verb: verbs[0]! })),
);
const ofAccount = ['environment', 'baseUrl', 'wsUrl', 'testHosts', 'names', 'allowDifferentHosts', 'stopAllOrders'];
const limits = ['ordersPerMinute', 'ordersPerDay', 'valuePerMinute', 'valuePerDay'];
const ofEvents = ['topics', 'pairs', 'statuses', 'side', 'pair', 'minQuantity', 'missed', 'batch'];
const ofAlerts = ['event', 'status_value', 'currency', 'rail', 'seconds'];

describe('a property whose variable is empty', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const changing = () => bench.sandbox.requests.filter(({ method }) => method !== 'GET');
	const refused = async (id: string, words = /EMPTY_KEY/): Promise<void> => {
		bench.sandbox.requests.splice(0);
		const { error } = await call(bench.nodeRed, id);
		expect({ id, error }).toMatchObject({ error: { message: expect.stringMatching(words) } });
		expect(changing()).toEqual([]);
	};
	const inSubflow = {
		...{ id: 'template', type: 'subflow', name: '', env: [{ name: 'KEY', type: 'str', value: '' }] },
		...{ in: [{ wires: [{ id: 'inner' }] }], out: [] },
	};

	beforeAll(async () => {
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...properties.flatMap(({ id, name, property, verb }) =>
				node(id, name, { ...order, operation: verb, [property]: '${EMPTY_KEY}' }),
			),
			...node('in-older-words', 'create-order', { ...order, business_key: '$(EMPTY_KEY)' }),
			...node('without-a-value', 'create-order', { ...order, business_key: '$(NOT_SET_EMPTY_KEY)' }),
			...node('type', 'create-order', { ...order, client_order_id: 'payload.id', client_order_idType: '${EMPTY_KEY}' }),
			...node('no-type', 'create-order', { ...order, client_order_id: 'payload.id', client_order_idType: 'message' }),
			...node('spaces', 'create-order', { ...order, dry_run: '${SPACES_EMPTY_KEY}' }),
			...node('filled', 'create-order', { ...order, quantity: '${ORDER_QUANTITY}' }),
			...[...ofAccount, ...limits].flatMap((name) => [
				account(bench.sandbox, { id: `with.${name}`, [name]: '${EMPTY_KEY}' }),
				...node(`by.${name}`, 'create-order', { ...order, account: `with.${name}` }),
			]),
			...ofEvents.flatMap((name) =>
				node(`events.${name}`, 'events', {
					topics: name === 'pairs' ? ['trades'] : ['user.fills'],
					[name]: name === 'topics' ? ['${EMPTY_KEY}'] : '${EMPTY_KEY}',
				}),
			),
			...ofAlerts.flatMap((name) =>
				node(`alerts.${name}`, 'alerts', { event: 'transaction', seconds: '3600', [name]: '${EMPTY_KEY}' }, 1),
			),
			inSubflow,
			{
				...node('inner', 'create-order', { ...order, business_key: '${KEY}' })[0]!,
				z: 'template',
				wires: [[], []],
				x: 1,
				y: 1,
			},
			{ id: 'instance', type: 'subflow:template', z: tab.id, env: [], wires: [], x: 1, y: 1 },
		]);
	});

	it.each(properties.map(({ id }) => id))(
		'is refused by a node that writes: %s',
		async (id) => await refused(id, /EMPTY_KEY.* is not set, or is empty/),
	);
	it.each(['in-older-words', 'without-a-value', 'spaces', 'type'])('is refused: %s', async (id) => await refused(id));
	it('is refused, and so is a type of a property that does not exist', async () =>
		await refused('no-type', /client_order_id cannot be read from message "payload.id"/));
	it.each([...ofAccount, ...limits])(
		'is refused in an account: %s',
		async (name) => await refused(`by.${name}`, name === 'names' ? /not a JSON object/ : /EMPTY_KEY/),
	);

	it.each([...ofEvents.map((name) => `events.${name}`), ...ofAlerts.map((name) => `alerts.${name}`)])(
		'is refused where it listens: %s',
		async (id) => await bench.nodeRed.waitForStatus(id, /invalid/i),
	);

	it('is refused in a subflow', async () => {
		bench.sandbox.requests.splice(0);
		await bench.nodeRed.send('instance', {});
		const { error } = await bench.nodeRed.waitForCompletion('instance-inner');
		expect(error?.message).toMatch(/KEY.* is not set, or is empty/);
		expect(changing()).toEqual([]);
	});

	it('has its value where the variable has one', async () => {
		expect(payloadOf(await call(bench.nodeRed, 'filled'))).toMatchObject({ quantity: '7.00' });
	});
});
