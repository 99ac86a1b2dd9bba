/** A palette node that runs one operation for each message. */
import { ExchangeError, isExchangeError, type Item, type Progress, type Warning } from '@partner-exchange/core';
import { assertProductionAllowed, isEmpty, readCount, readSwitch, withStanding } from '@partner-exchange/core/adapters';
import { isOrderWrite, isSentOnce, isWrite } from '@partner-exchange/core/catalogue';
import type { NodeAPI } from 'node-red';
import { accountNamed, type Opened, resolutionStatus } from '../account/account';
import { callOperation, keepOriginal, messagesOf, unknownOutcome } from './answer';
import { failedText, failureOf } from '../host/failure';
import type { Deploys } from '../host/deploys';
import type { Message, Node, Outgoing, Settings } from '../host/types';
import { createHostNode, type Hosted } from '../host/host-node';
import { alreadyPlaced, underIntent, type NamedIntent } from './intents';
import type { Offer, PaletteNode } from '../palette';
import { nodeStatus, type NodeStatus } from '../host/status';
import { doneStatus, stepText } from './status-text';
import { formValue, readValues, type Values } from './values';
import { ports } from '../host/ports';

/** Most distinct warnings logged by one node. */
const WARNINGS_MAX = 50;
/** This many orders of unknown outcome are remembered, and then all are forgotten, and a message that tries one again fails. */
const OPEN_MAX = 1_000;

export function registerAction(RED: NodeAPI, palette: PaletteNode, deploys: Deploys): void {
	RED.nodes.registerType(palette.type, function (this: Node, settings: Settings) {
		const node = createHostNode(RED, this, settings);
		const stop = new AbortController();
		const inFlight = new Set<Promise<Outgoing>>();
		const common = {
			RED,
			node,
			palette,
			settings,
			signal: stop.signal,
			warned: new Set<string>(),
			open: new Set<string>(),
			statuses: { messages: 0 },
		};
		let context: NodeContext | undefined;
		/**
		 * The present account. A deploy of modified nodes does not restart a node that names the changed account by a
		 * variable, and an order must not go where the account went before.
		 */
		function withAccount(): NodeContext {
			const opened = accountNamed(RED, settings.account);
			if (context?.opened === opened) return context;
			const { account, limits } = 'account' in opened ? opened : {};
			const status = nodeStatus(node, account, limits);
			if ('problem' in opened) status.show('red', 'ring', failedText(opened.problem));
			else status.idle();
			return (context = { ...common, opened, status });
		}
		withAccount();
		const stopFollowing = deploys.onStarted(node, withAccount);
		node.onInput(async (message) => {
			const call = handle(withAccount(), message);
			inFlight.add(call);
			return await call.finally(() => inFlight.delete(call));
		});
		node.onClose(async () => {
			stopFollowing();
			stop.abort();
			await Promise.allSettled(inFlight);
			context?.status.clear();
		});
	});
}

interface NodeContext extends Hosted {
	palette: PaletteNode;
	opened: Opened;
	status: NodeStatus;
	signal: AbortSignal;
	/** Texts of warnings already logged, so that a warning is not repeated for every message. */
	warned: Set<string>;
	/** The orders that nobody named, by message, whose outcome was unknown: a message that tries one again finds it. */
	open: Set<string>;
	/** Number of messages handled, which tells whether a later message has changed the status. */
	statuses: { messages: number };
}

/** Handles one message, and shows a failure in the status. */
async function handle(context: NodeContext, message: Message): Promise<Outgoing> {
	try {
		return await resultOf(context, message);
	} catch (thrown) {
		const offer = offerIn(context.palette, context.settings);
		const error = offer ? withStanding(offer.operation, thrown, 'no') : thrown;
		if (context.signal.aborted) throw error;
		// An account that is stopped keeps that as its status instead of this error.
		if (isStopped(context.opened)) context.status.idle();
		else context.status.show('red', 'ring', failedText(error));
		throw error;
	}
}

const isStopped = (opened: Opened): boolean => 'limits' in opened && opened.limits?.stopped() !== undefined;

async function resultOf(context: NodeContext, message: Message): Promise<Outgoing> {
	const { RED, node, palette, settings, opened, status, signal } = context;
	if ('problem' in opened) throw opened.problem;
	const offer = offerOf(palette, settings);
	const production = readSwitch(settings.production ?? false, { field: 'production', label: 'The setting production' });
	const read = await readValues(RED, node, { palette, offer, settings, warn: warnOnce(context) }, message);
	const { values, intent, isUnnamed }: Partial<NamedIntent> & { values: Values } =
		isOrderWrite(offer.operation) || isSentOnce(offer.operation)
			? underIntent(node, message, offer, read)
			: { values: read };
	assertProductionAllowed(offer.operation, opened.account, { production, options: values.options });
	const call = { options: values.options, signal, warn: warnOnce(context), progress: progressOn(status), intent };
	const limit = offer.operation.list ? await limitOf(context, message) : undefined;
	const original = keepOriginal(RED, message, settings);
	context.statuses.messages += 1;
	status.show('blue', 'dot', 'working');
	try {
		const data = await callOperation(opened.client, { offer, input: values.input, context: call, limit });
		// A message from a Catch node is tried again too. Any other was sent twice, or kept and sent after a restart.
		const isTried = context.open.delete(intent!) || 'error' in message;
		if (isUnnamed && !isTried && (data as Item).repeated === true) throw alreadyPlaced(offer.operation, data as Item);
		status.done(doneStatus(data));
		if (signal.aborted && isWrite(offer.operation)) reportClosed(context, offer, data);
		return messagesOf(original, data, settings);
	} catch (error) {
		if (context.open.size >= OPEN_MAX) context.open.clear();
		if (isUnnamed && isExchangeError(error, 'outcome_unknown')) context.open.add(intent!);
		if (palette.outputs === 1 || !isExchangeError(error, 'outcome_unknown')) throw error;
		status.show('yellow', 'ring', 'outcome unknown');
		followOutcome(context, error);
		// A deploy may drop the message, so the error is logged as well.
		node.warn(failureOf(error).message);
		return [null, unknownOutcome(original, error)];
	}
}

/** The fields that identify what a write has made. */
const identifying = ['order_id', 'new_order_id', 'client_order_id', 'id'];

/** A deploy drops the message of a node it has closed, so a write that was done is logged. */
function reportClosed({ node }: NodeContext, { operation }: Offer, data: unknown): void {
	const { dry_run: isDry, ...facts } = data as Item;
	if (isDry === true) return;
	const named = identifying.flatMap((name) => (Object.hasOwn(facts, name) ? [`${name} ${String(facts[name])}`] : []));
	node.warn(`${operation.label} was done, and a deploy may have dropped its message (${named.join(', ') || 'no ID'})`);
}

/** Shows the resolved outcome in the status, unless a later message has changed it. */
function followOutcome({ opened, status, statuses }: NodeContext, { details }: ExchangeError): void {
	const key = details.idempotency_key;
	if (!('resolutions' in opened) || typeof key !== 'string') return;
	const asOf = statuses.messages;
	opened.resolutions?.follow(key, (resolution) => {
		const { fill, text } = resolutionStatus(resolution);
		if (statuses.messages === asOf) status.show(fill, 'ring', text);
	});
}

/** Shows the step of a write that takes long. */
const progressOn =
	(status: NodeStatus) =>
	(progress: Progress): void =>
		status.show('blue', 'dot', stepText(progress, ports.clock.now()));

/** Logs each warning once. Fields new to the catalogue (`news`) do not matter to a flow and are not logged. */
const warnOnce =
	({ node, warned }: NodeContext) =>
	({ kind, text }: Warning): void => {
		if (kind === 'news' || warned.has(text) || warned.size >= WARNINGS_MAX) return;
		warned.add(text);
		node.warn(text);
	};

/** The operation selected in the form; a node with one operation has no such property. */
const offerIn = ({ offers }: PaletteNode, settings: Settings): Offer | undefined =>
	offers.length === 1 ? offers[0] : offers.find(({ verb }) => verb === settings.operation);

function offerOf(palette: PaletteNode, settings: Settings): Offer {
	const offer = offerIn(palette, settings);
	if (offer) return offer;
	throw new ExchangeError('invalid_input', {
		field: 'operation',
		what: 'No operation is chosen',
		advice: `Open the node and choose one of ${palette.offers.map(({ verb }) => verb).join(', ')}`,
	});
}

async function limitOf({ RED, node, settings }: NodeContext, message: Message): Promise<number | undefined> {
	const payload = message.payload as { limit?: unknown } | undefined;
	const own = await formValue(RED, node, { settings, property: 'limit' }, message);
	const limit = isEmpty(own) ? payload?.limit : own;
	return isEmpty(limit) ? undefined : readCount('limit', { label: 'Limit' }, limit);
}
