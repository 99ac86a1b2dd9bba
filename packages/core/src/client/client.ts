import { acceptAccount, type Account, type AccountInput } from '../account';
import { nameParts, operationIds, operationOf, type Operation, type OperationId, type Options } from '../catalogue';
import { assertAvailable } from '../environment';
import { causedBy, ExchangeError, factsIn, isExchangeError } from '../errors';
import { assertGiven, callback, flag, having, readElsewhere, signal, type Kind } from '../given';
import { assertOneName } from '../orders/identity';
import { createAccountMemory } from '../orders/memory';
import { createIntents } from '../orders/intents';
import { withStanding } from '../orders/standing';
import { acceptPorts, unlessStopped, type Ports } from '../ports';
import type { Client, ClientHost, UntypedClient } from './contract';
import { inWordsOfScripts } from './words';
import { createRedaction, assertNoSecret, errorWithoutKey } from './redacted';
import { listOf } from './list';
import type { Methods } from './methods';
import { outputModeOf } from './output-mode';
import { filtersOf, passes, assertReached, narrowed, narrows } from './narrowing';
import { composed } from './composed';
import { checkBeforeSending, type Sources } from './checks';
import { acceptContext, settingsOfItems, stopped, type CallContext } from '../context';
import { processStatus } from './process-status';
import { createRest } from './rest';
import { readMarketsOnce } from './market-rules';
import { secretHider, withoutEcho } from '../wire/echo';
import type { Hide } from '../redaction';
import { acceptInput, acceptOptions, withFreeFields } from '../input/input';
import type { Accepted } from '../wire/request';
import { asListed, isAsListed, refuseUnlisted, cachedLists } from './listed';
import { fitting } from '../wire/page-length';
import { eachItem, rowsIn } from '../wire/each-item';
import type { Item } from '../wire/payload';
import { serviceClock } from '../wire/remote-clock';

const hostKinds: Readonly<Record<keyof ClientHost | 'machine', Kind>> = {
	commands: callback,
	orderEvents: callback,
	journal: having('record', 'close', 'open'),
	limits: having('admit', 'orderShown', 'assertRunning'),
	renewLimits: callback,
	onResolved: callback,
	signal,
	memory: having('once', 'conclude', 'restore'),
	machine: readElsewhere,
	isForm: flag,
	streamStatus: callback,
};

/** What a caller gives, before it is checked. */
type GivenInput = Readonly<Record<string, unknown>>;
type AcceptedContext = CallContext & { options: Options };

/**
 * Creates a client of one account. It keeps no connection open and needs no closing.
 *
 * `ports` are {@link nodePorts} in plain Node. `host` adds what a long-lived process has: a journal, limits, a stream for
 * cancel and replace. Without `host.commands`, `order.cancel` and `order.replace` throw `not_available`.
 *
 * @throws An {@link ExchangeError}: `invalid_account` when an address or the key cannot be right. Nothing is sent.
 *
 * @example
 * const client = createClient(account, nodePorts());
 * const order = await client.order.create({ pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '10' });
 */
export function createClient(opened: AccountInput, hostPorts: Ports, host: ClientHost = {}): Client {
	assertGiven(host, hostKinds, { of: 'What a client takes beside account and ports' });
	const isForm = host.isForm === true;
	const account = acceptedAccount(opened, isForm);
	const brought = acceptPorts(hostPorts, 'send', 'random', 'newId');
	const { clock } = brought;
	const hide = secretHider(account);
	const service = serviceClock(clock);
	const ports: Ports = {
		...brought,
		send: (request) =>
			brought.send(request).then((answer) => {
				const response = withoutEcho(answer, hide);
				service.read(response);
				return response;
			}),
	};

	const { memory = createAccountMemory() } = host;
	const rest = createRest({ account, ports, memory, accept });
	const { read } = rest;
	const intents = createIntents(
		{ account, ports, read: fitting(memory.pageLengths, read), service },
		{ ...host, memory },
	);
	const redacted = createRedaction(account, isForm);
	const sources: Sources = { read, cached: cachedLists(clock, read), ...readMarketsOnce() };
	/** No caller stops a reading of a list that others share, and each stops waiting for it. */
	const sourcesOf = (operation: Operation, { signal }: CallContext): Sources => ({
		...sources,
		cached: (id) => unlessStopped(sources.cached(id), signal, () => Promise.reject(stopped(operation))),
	});
	const fittingPage = fitting(memory.pageLengths, rest.page);

	async function call(id: OperationId, input: GivenInput, base: CallContext = {}): Promise<unknown> {
		const operation = knownOperation(id, hide);
		try {
			const context = acceptedContext(operation, base);
			const output = outputModeOf(operation, context);
			assertAvailable(operation, account);
			const accepted = accept(operation, input);
			assertOneName(operation, accepted, context.options);
			// What is in the spelling of the service already waits for no list.
			const { cached } = sourcesOf(operation, context);
			const listed = isAsListed(operation, accepted) ? accepted : await asListed(operation, accepted, cached);
			const answer = output.answer(await carryOut(id, withFreeFields(operation, listed), context));
			output.end();
			return answer;
		} catch (error) {
			// The code that carries orders out says of everything it sent what became of it, so any other error came before
			// anything was sent, except perhaps by an earlier run. A context that is refused may be anything.
			const isRepeated = (base as CallContext | null)?.repeated === true;
			throw redacted.error(withStanding(operation, timedOut(error, base), isRepeated ? 'unknown' : 'no'));
		}
	}

	/** The input of an operation as it may be sent. It holds no secret. */
	function accept(operation: Operation, input: GivenInput): Accepted {
		const accepted = acceptInput(operation, input);
		assertNoSecret(operation, accepted, hide);
		return accepted;
	}

	/** What a call takes beside its input: each setting is one that the operation heeds, and each option one that it has. */
	function acceptedContext<C extends CallContext>(operation: Operation, base: C, known?: typeof settingsOfItems) {
		const accepted = acceptContext(operation, base, isForm, known);
		const options = acceptOptions(operation, accepted.options, isForm);
		assertNoSecret(operation, options, hide);
		return { ...redacted.context(accepted), options };
	}

	/** The complete answer, with the fields the client adds and before the output mode is applied. */
	function carryOut(id: OperationId, valid: Accepted, context: AcceptedContext): unknown {
		const operation = operationOf(id);
		const check = () => checkBeforeSending(operation, valid, context, sourcesOf(operation, context));
		const { run } = operation;
		switch (run.via) {
			case 'intent':
				return intents.carryOut({ id, accepted: valid, context, check });
			case 'lookup':
				return intents.resolve(valid, context);
			case 'composed':
				return composed[run.as]({ operation, input: valid, context, ports, client: steps, running: memory.composed });
			case 'process':
				return processStatus(host.streamStatus?.(), intents, clock);
			case 'rest':
			case 'control':
				return rest.carryOut(id, check, context);
		}
	}

	async function* items(id: OperationId, query: GivenInput, base: CallContext & { limit?: number } = {}) {
		try {
			const operation = knownOperation(id, hide);
			const context = acceptedContext(operation, base, settingsOfItems);
			const output = outputModeOf(operation, context);
			assertAvailable(operation, account);
			const { cached } = sourcesOf(operation, context);
			const input = await asListed(operation, accept(operation, query), cached);
			const readPage = (cursor: Item) => fittingPage(id, { ...input, ...cursor }, context);
			let left = context.limit ?? Number.POSITIVE_INFINITY;
			let isListed = false;
			if (left <= 0) return;
			const filters = filtersOf(operation, input);
			const isExact = filters.length === 0 && !narrows(context.options);
			const limit = isExact ? context.limit : undefined;
			const all = eachItem(operation, input, { ports, readPage, limit, signal: context.signal });
			for await (const item of narrowed(all, context.options)) {
				// The rows of a page are there at once, and a caller that stopped the call wants none of them.
				if (context.signal?.aborted) throw stopped(operation);
				if (!passes(item, filters)) continue;
				isListed = true;
				yield output.record(item);
				left -= 1;
				if (left <= 0) break;
			}
			output.end();
			if (isListed) return;
			assertReached(context.options, serviceTime());
			await refuseUnlisted(operation, input, cached);
		} catch (error) {
			throw redacted.error(timedOut(error, base));
		}
	}

	/** One page, not filtered: a filtered page may be empty before the list ends, so callers filter item by item. */
	async function page(id: OperationId, input: GivenInput, base: CallContext = {}): Promise<Item[]> {
		try {
			const operation = knownOperation(id, hide);
			const context = redacted.context(acceptContext(operation, base, isForm));
			if (narrows(context.options)) throw pageIsAsSent(operation);
			return rowsIn(operation, await rest.page(id, input, { retries: 0, ...context }));
		} catch (error) {
			throw redacted.error(timedOut(error, base));
		}
	}

	const steps: Pick<UntypedClient, 'call' | 'items' | 'page'> = { call, items, page };
	const serviceTime = () => service.at(clock.elapsed());
	const now = () => Math.floor(serviceTime() ?? clock.now());
	// The catalogue, from which the types of calls are written, is what says that an id answers so.
	return Object.assign(methods(steps), { account, ...steps, recover: intents.recover, serviceTime, now }) as Client;
}

function acceptedAccount(opened: AccountInput, isForm: boolean): Account {
	try {
		return acceptAccount(opened);
	} catch (error) {
		// The key may be in the place of a name.
		const { apiKey } = Object(opened) as Partial<AccountInput>;
		throw errorWithoutKey(isForm ? error : inWordsOfScripts(error), apiKey);
	}
}

/**
 * A call that its own `AbortSignal.timeout` stopped ran out of time. Any other stop is reported with its reason as the
 * cause.
 */
function timedOut(error: unknown, context: CallContext): unknown {
	if (!isExchangeError(error, 'aborted')) return error;
	const reason: unknown = context.signal?.reason;
	const isOver = (reason as { name?: unknown } | undefined)?.name === 'TimeoutError';
	if (!isOver) return reason === undefined ? error : causedBy(reason, error.code, factsIn(error));
	const { operation, details } = error;
	return new ExchangeError('timeout', { operation, details, what: 'The time its caller gave it was over' });
}

/** An id that is text of a script may be misspelt. */
function knownOperation(id: OperationId, hide: Hide): Operation {
	if (operationIds.includes(id)) return operationOf(id);
	throw new ExchangeError('invalid_input', {
		what: `There is no operation ${hide(String(id)).slice(0, 64)}`,
		advice: 'Take an id of the catalogue, such as order.get; nothing was sent',
	});
}

const pageIsAsSent = ({ label }: Operation): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: label,
		what: 'A page is handed over as the service sends it, so options that filter or sort it have no effect',
		advice: 'Read the list with items, or leave these options out; nothing was sent',
	});

function methods({ call, items }: Pick<UntypedClient, 'call' | 'items'>): Methods {
	const grouped: Record<string, Record<string, unknown>> = {};
	for (const id of operationIds) {
		const { resource, verb } = nameParts(id);
		(grouped[resource] ??= {})[verb] = (input: GivenInput = {}, context?: CallContext) =>
			operationOf(id).list
				? listOf(
						() => call(id, input, context),
						() => items(id, input, context),
					)
				: call(id, input, context);
	}
	return grouped as unknown as Methods;
}
