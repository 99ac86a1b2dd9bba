import type { Account } from '../account';
import { controlOf, isRead, operationOf, type Operation, type OperationId, type Options } from '../catalogue';
import type { CallContext, Read } from '../context';
import { assertAvailable } from '../environment';
import type { AccountMemory } from '../orders/memory';
import type { Ports } from '../ports';
import { makeAttempt, type Attempt } from '../wire/attempt';
import type { Item } from '../wire/payload';
import { buildRequest, type Accepted } from '../wire/request';
import { withRetry } from '../wire/retry';
import { compareHolder, holderOf } from './account-holder';
import { notAsked, reportDrift, withAdded } from './answer';
import { isChosen } from './checks';
import { resolveWrite } from './lost-reply';
import { inCurrency, narrowedPage, postFilter } from './narrowing';
import { sentOnce } from './sent-once';
import { transactionsBefore, untilSettled, withTransaction } from './settlement';

/** Timeout of a read made by a step of a call: a check must not delay the call for long. */
const READ_TIMEOUT_MS = 5_000;

/** The requests of an account over REST. */
interface Rest {
	/** Carries out an operation that is one request, with what its options ask for before and after it. */
	carryOut(
		id: OperationId,
		check: () => Promise<Accepted>,
		context: CallContext & { options: Options },
	): Promise<unknown>;
	/** One page of a list, as the service answers it. */
	page(id: OperationId, input: Item, context: CallContext): Promise<unknown>;
	/** Reads for a step of a call: one attempt, a short timeout, and no checks or lookups of its own. */
	read: Read;
}

interface RestSources {
	account: Account;
	ports: Ports;
	memory: AccountMemory;
	/** The input of an operation as it may be sent. */
	accept(operation: Operation, input: Item): Accepted;
}

export function createRest({ account, ports, memory, accept }: RestSources): Rest {
	async function attempt(id: OperationId, accepted: Accepted, { signal, timeoutMs }: CallContext): Promise<Attempt> {
		const operation = operationOf(id);
		const built = buildRequest(id, operation, accepted, account);
		const secret = controlOf(operation) ? (account.controlToken ?? '') : account.apiKey;
		const made = await makeAttempt(
			operation,
			{ ...built, signal, timeoutMs: timeoutMs ?? built.timeoutMs },
			secret,
			ports,
		);
		const error = 'data' in made ? notAsked(operation, accepted, made.data) : undefined;
		return error ? { proof: 'unknown', error } : made;
	}

	const read: Read = async (id, input, { signal } = {}) => {
		const operation = operationOf(id);
		assertAvailable(operation, account);
		const accepted = accept(operation, input);
		const made = await attempt(id, accepted, { signal, timeoutMs: READ_TIMEOUT_MS });
		if ('error' in made) throw made.error;
		return made.data;
	};

	/** The answer to a request, after retries, or where the reply was lost what became of it. */
	async function answerTo(id: OperationId, accepted: Accepted, context: CallContext): Promise<unknown> {
		const operation = operationOf(id);
		const made = await withRetry(ports, context.signal, () => attempt(id, accepted, context), {
			retries: context.retries,
			after: isSafe(operation) ? undefined : ['unsent', 'limited'],
			appearsLater: 'appearsLater' in operation.run,
		});
		const data = await resolveWrite(made, { operation, accepted, context, read, ports });
		const result = operation.confirms
			? compareHolder(operation, holderOf(operation, accepted, data), data as Item, context)
			: data;
		reportDrift(operation, result, 'data' in made ? (made.numbers ?? []) : [], context);
		return withAdded(operation, result);
	}

	return {
		read,
		page: async (id, input, context) => {
			const operation = operationOf(id);
			assertAvailable(operation, account);
			return answerTo(id, accept(operation, input), context);
		},
		carryOut: async (id, check, context) => {
			const operation = operationOf(id);
			const accepted = await check();
			const waitsUntilSettled = isChosen('wait_settled', operation, context);
			const readsBack = isChosen('read_back', operation, context) || (waitsUntilSettled && !isRead(operation));
			const before = readsBack ? await transactionsBefore(context, read) : undefined;
			const data = await sentOnce({ operation, accepted, context, writes: memory.sentOnce }, () =>
				answerTo(id, accepted, context),
			);
			const answer = operation.list
				? await narrowedPage(operation, postFilter(operation, data, accepted, context), context.options)
				: inCurrency(operation, data, context.options.currency);
			const deps = { context, read, ports, startedAt: ports.clock.elapsed() };
			if (!before) return waitsUntilSettled ? untilSettled(accepted.transaction_id, answer as Item, deps) : answer;
			const taken = memory.transactionsTaken;
			return withTransaction(operation, answer as Item, { ...deps, sent: accepted, before, taken });
		},
	};
}

/** Whether the same request may go out again after a lost reply. */
const isSafe = ({ run }: Operation): boolean =>
	run.via === 'rest' && (run.retry === 'safe' || (typeof run.retry === 'object' && 'deletedFrom' in run.retry));
