import { type CallContext, type Client, type Item, isExchangeError } from '@partner-exchange/core';
import { assertProductionAllowed, answerRecords, checkStream } from '@partner-exchange/core/adapters';
import { isOrderWrite, isRead, makesAnOrder, operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { connectionsOf, type Connection } from '../account/connection';
import { isSideBySide, operationIn, readParameters, type NodeParameters } from '../form/parameters';
import { isExpression, refuseStrays, type Form } from '../form/property';
import { inOneText, itemAtFault, nodeError, BEHIND_A_PROXY } from '../host/errors';
import { recordRun } from '../host/execution';
import { aheadOf, mapConcurrently } from './concurrency';
import { failureOf, withIntent } from './intent';
import { isTool } from './tool-call';

/**
 * Items processed concurrently. Orders go one after another, because a sale may have to pay for the purchase behind it,
 * unless an option says that none has to. Reads spend most of their time waiting for the network, so more of them run at
 * once: as many as a queue behind a limit of two requests a second survives.
 */
const CONCURRENT = {
	reads: { first: 20, most: 100 },
	others: { first: 5, most: 5 },
	orders: { first: 1, most: 1 },
};

/**
 * Read items whose parameters are evaluated in one batch, which takes half the time of evaluating them between replies.
 */
const AHEAD = 100;

/** Runs the selected operation once per item, each with the account and the form of that item. */
export async function execute(host: IExecuteFunctions, form: Form): Promise<INodeExecutionData[][]> {
	const connections = connectionsOf(host);
	recordRun(host.getMode());
	const warn = hints(host);
	const assured = wayOut(warn);
	try {
		const count = host.getInputData().length;
		const node = host.getNode();
		const kind = kindOf(host, count);
		const formOf = aheadOf(kind === 'reads' ? AHEAD : 1, count, (item) => {
			refuseStrays(node, form);
			return readParameters(host, node.parameters, item);
		});
		const mayGrow = (): boolean => !connections.all().some(({ isHindered }) => isHindered());
		const results = await mapConcurrently(count, { ...CONCURRENT[kind], mayGrow }, (item) =>
			runItem(host, connections.at, { item, formOf, warn, assured }),
		);
		return [results.flat()];
	} finally {
		for (const { release } of connections.all()) release();
	}
}

/** The form takes no expression for resource and operation, but a workflow that was written elsewhere may hold one. */
function kindOf(host: IExecuteFunctions, count: number): keyof typeof CONCURRENT {
	const { parameters } = host.getNode();
	const { resource, operation } = parameters;
	if (count === 0 || isExpression(resource) || isExpression(operation)) return 'orders';
	try {
		const chosen = operationOf(operationIn(host, 0));
		return isRead(chosen) ? 'reads' : isOrderWrite(chosen) && !isSideBySide(parameters) ? 'orders' : 'others';
	} catch {
		// Reading the parameters of each item reports the error for that item.
		return 'others';
	}
}

interface Run {
	item: number;
	/** The parameters of an item; rejects if they are invalid. */
	formOf: (item: number) => Promise<NodeParameters>;
	warn: CallContext['warn'];
	/** Says at a dry run where the order could not be cancelled. */
	assured: ReturnType<typeof wayOut>;
}

async function runItem(
	host: IExecuteFunctions,
	connectionAt: (item: number) => Promise<Connection>,
	{ item, formOf, warn, assured }: Run,
): Promise<INodeExecutionData[]> {
	try {
		const connection = await connectionAt(item);
		const { client } = connection;
		const parameters = await formOf(item);
		for (const text of parameters.leftOut) warn?.({ kind: 'filtered', text });
		const context = {
			options: parameters.options,
			signal: host.getExecutionCancelSignal(),
			warn,
			progress: attemptsHint(warn),
		};
		await assured(connection, parameters);
		const answer = await withIntent(host, item, parameters, (intent, input) =>
			callOperation(client, { ...parameters, input }, { ...context, ...intent }),
		);
		tellState(answer, isOrderWrite(operationOf(parameters.id)), warn);
		return itemsOf(parameters.id, answer).map((json) => ({ json, pairedItem: { item } }));
	} catch (error) {
		const failure = nodeError(host.getNode(), failureOf(host, item, error), item);
		if (!host.continueOnFail()) throw isTool(host) ? inOneText(failure) : failure;
		return [itemAtFault(host.getNode(), failure, item)];
	}
}

async function callOperation(client: Client, parameters: NodeParameters, context: CallContext): Promise<unknown> {
	assertProductionAllowed(operationOf(parameters.id), client.account, parameters);
	if (!operationOf(parameters.id).list) return await client.call(parameters.id, parameters.input, context);
	const rows: Item[] = [];
	for await (const item of client.items(parameters.id, parameters.input, { ...context, limit: parameters.limit }))
		rows.push(item);
	if (rows.length === parameters.limit) {
		const text = `The list ends at the limit of ${parameters.limit}, and there may be more: switch on Return All, or raise Limit`;
		context.warn?.({ kind: 'filtered', text });
	}
	return rows;
}

/** The answer as n8n items, unchanged: one per record of a list, or per part of a record that consists of several. */
const itemsOf = (id: OperationId, answer: unknown): IDataObject[] =>
	(Array.isArray(answer) ? answer : answerRecords(operationOf(id), answer)).map(asObject);

/**
 * n8n shows every answer in green, so a hint beside it says what may still be rejected, and what was not done or
 * awaited.
 */
function tellState(answer: unknown, isOrder: boolean, warn: CallContext['warn']): void {
	const { status, repeated, advice, wait } = (answer ?? {}) as Item & { wait?: Item };
	if (!isOrder && wait?.reached === false)
		warn?.({
			kind: 'not_checked',
			text: ['failed', 'cancelled'].includes(String(wait.ended))
				? `The transaction ended as ${String(wait.ended)}, so no money moved`
				: 'The time to wait is over, and the transaction is not: its status may still change',
		});
	if (repeated === true)
		warn?.({ kind: 'recovered', text: 'This was done before under the same identity, so nothing new was sent' });
	if (typeof advice === 'string') warn?.({ kind: 'not_checked', text: advice });
	if (!isOrder || status !== 'pending') return;
	const text = 'The order is pending: the service may still reject it. Wait Until, under Options, waits for its answer';
	warn?.({ kind: 'not_checked', text });
}

/** n8n items must be objects, so any other value is wrapped. */
const asObject = (row: unknown): IDataObject =>
	typeof row === 'object' && row !== null && !Array.isArray(row) ? (row as IDataObject) : { value: row as IDataObject };

/** Explains above the output that a write took longer because it was sent again. */
const attemptsHint =
	(warn: CallContext['warn']): CallContext['progress'] =>
	({ doing, attempts }) => {
		if (doing !== 'sending' || attempts < 2) return;
		warn?.({
			kind: 'recovered',
			text: 'No answer said what became of it, so the same request was sent again under the same identity',
		});
	};

/**
 * Shows warnings of successful calls above the output, each text once. Fields new to the catalogue (`news`) are not
 * shown.
 */
function hints(host: IExecuteFunctions): CallContext['warn'] {
	const warnings = new Set<string>();
	return ({ kind, text }) => {
		if (kind === 'news' || warnings.has(text)) return;
		warnings.add(text);
		host.addExecutionHints({ message: text, type: 'info', location: 'outputPane' });
	};
}

/**
 * A dry run waits this long for a stream that does not answer. After that a warning says that the order could not be
 * cancelled.
 */
const CHECK_MS_MAX = 5_000;

const AWAY = `The Stream Address does not answer, so this order could be placed, and not be cancelled or replaced from here. ${BEHIND_A_PROXY}`;

/**
 * Says at a dry run where the stream does not open: n8n's requests follow a proxy by themselves, and its stream, which
 * carries every cancel, only with another setting. A real order does not wait for such a look, which may take long just when
 * the service is away. Looks once for each address of a run.
 */
function wayOut(warn: CallContext['warn']) {
	const looked = new Map<string, Promise<void>>();

	async function look({ stream }: Connection): Promise<void> {
		try {
			await checkStream(stream(), AbortSignal.timeout(CHECK_MS_MAX), BEHIND_A_PROXY);
		} catch (error) {
			// What else may be wrong, such as the key, the dry run itself says.
			if (isExchangeError(error) && error.code === 'unreachable') warn?.({ kind: 'not_checked', text: AWAY });
		}
	}
	return async (connection: Connection, parameters: NodeParameters): Promise<void> => {
		if (!mayStayOpen(parameters)) return;
		const { wsUrl } = connection.client.account;
		const looking = looked.get(wsUrl) ?? look(connection);
		looked.set(wsUrl, looking);
		await looking;
	};
}

/** Whether it rehearses an order that waits in the book for somebody to meet it. */
const mayStayOpen = ({ id, input, options }: NodeParameters): boolean =>
	makesAnOrder(operationOf(id)) &&
	String(options.dry_run) === 'true' &&
	input.order_type === 'limit' &&
	!['IOC', 'FOK'].includes(String(input.time_in_force));
