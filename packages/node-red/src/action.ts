/** A palette node that runs one operation for each message. */
import { ExchangeError, isExchangeError, type Warning } from '@partner-exchange/core';
import type { NodeAPI } from 'node-red';
import { accountNamed, type Opened } from './account';
import { ask, messagesOf, unknownOutcome } from './answer';
import { failureOf, type Failure } from './failure';
import type { Done, Message, Node, Outgoing, Send, Settings } from './host';
import { intentName } from './intents';
import type { Offer, PaletteNode } from './palette';
import { inWords, lightOf, type Light } from './status';
import { formValue, readValues } from './values';

/** A deploy waits this long for calls under way to end. Node-RED itself gives up after 15 s. */
const CLOSE_GRACE_MS = 8_000;
/** Different warnings one node gives before it keeps quiet. */
const SAID_MAX = 50;

export function registerAction(RED: NodeAPI, palette: PaletteNode): void {
	RED.nodes.registerType(palette.type, function (this: Node, settings: Settings) {
		RED.nodes.createNode(this, settings);
		const opened = accountNamed(RED, settings.account);
		const light = lightOf(this, 'account' in opened ? opened.account : undefined);
		const stop = new AbortController();
		const underWay = new Set<Promise<void>>();
		const run: Run = { RED, node: this, palette, settings, opened, light, signal: stop.signal, said: new Set() };

		if ('problem' in opened) light.show('red', 'ring', inWords(opened.problem.code));
		else light.idle();
		// Node-RED exits when a handler rejects, so nothing here may: `answerTo` turns every failure into `done(error)`.
		this.on('input', (message, send, done) => {
			const call = answerTo(run, message, send, done).finally(() => underWay.delete(call));
			underWay.add(call);
		});
		this.on('close', (_removed: boolean, done: () => void) => {
			stop.abort();
			const late = setTimeout(finish, CLOSE_GRACE_MS);
			void Promise.allSettled(underWay).then(finish);
			function finish(): void {
				clearTimeout(late);
				light.clear();
				done();
			}
		});
	});
}

interface Run {
	RED: NodeAPI;
	node: Node;
	palette: PaletteNode;
	settings: Settings;
	opened: Opened;
	light: Light;
	signal: AbortSignal;
	/** What was said already is not said for each message again. */
	said: Set<string>;
}

/** Handles one message: exactly one `done`, whatever happens. */
async function answerTo(run: Run, message: Message, send: Send, done: Done): Promise<void> {
	let failure: Failure | undefined;
	try {
		send(await answerOf(run, message));
	} catch (error) {
		failure = failureOf(error);
		if (!run.signal.aborted) run.light.show('red', 'ring', inWords(failure.code));
	}
	done(failure);
}

async function answerOf(run: Run, message: Message): Promise<Outgoing> {
	const { RED, node, palette, settings, opened, light, signal } = run;
	if ('problem' in opened) throw opened.problem;
	const offer = offerOf(palette, settings);
	const values = await readValues(RED, node, { palette, offer, settings }, message);
	const intent = offer.operation.idempotent ? intentName(node, message, values) : undefined;
	const context = { options: values.options, signal, warn: warnOnce(run), intent };
	const limit = offer.operation.list ? await limitOf(run, message) : undefined;
	light.show('blue', 'dot', 'working');
	try {
		const data = await ask(opened.client, { offer, input: values.input, context, limit });
		light.idle();
		return messagesOf(message, data, settings);
	} catch (error) {
		if (palette.outputs === 1 || !isExchangeError(error, 'outcome_unknown')) throw error;
		light.show('yellow', 'ring', 'outcome unknown');
		// The message is lost when a deploy stops what it goes to; the log is not.
		node.warn(error.message);
		return [null, unknownOutcome(message, error)];
	}
}

/** New fields are no concern of a flow; everything else is said once. */
const warnOnce =
	({ node, said }: Run) =>
	({ kind, text }: Warning): void => {
		if (kind === 'news' || said.has(text) || said.size >= SAID_MAX) return;
		said.add(text);
		node.warn(text);
	};

/** The operation the form chose; a node of one operation has no choice. */
function offerOf({ offers }: PaletteNode, settings: Settings): Offer {
	const offer = offers.length === 1 ? offers[0] : offers.find(({ verb }) => verb === settings.operation);
	if (offer) return offer;
	throw new ExchangeError('invalid_input', {
		field: 'operation',
		what: 'No operation is chosen',
		advice: `Open the node and choose one of ${offers.map(({ verb }) => verb).join(', ')}`,
	});
}

async function limitOf({ RED, node, settings }: Run, message: Message): Promise<number | undefined> {
	const payload = message.payload as { limit?: unknown } | undefined;
	const limit = payload?.limit ?? (await formValue(RED, node, { settings, property: 'limit' }, message));
	if (limit === undefined || limit === null || limit === '') return undefined;
	if (/^[1-9]\d*$/.test(String(limit))) return Number(limit);
	throw new ExchangeError('invalid_input', { field: 'limit', what: 'Limit must be a whole number from 1 up' });
}
