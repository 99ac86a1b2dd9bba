import { controlOf, finality, isOrderWrite, isWrite, routeOf, type Operation } from '../catalogue';
import { ExchangeError, type ErrorCode } from '../errors';
import { ANSWER_BYTES_MAX, LIST_BYTES_MAX, type HttpResponse } from '../ports';
import { excerpt, redact } from '../redaction';
import { parseExactly } from './json';
import { instantOf, isItem, listIn, plainWord, shortText, statusOf } from './payload';
import { reasonIn } from './reasons';
import { recordNames } from './records';
import { respell } from './spelling';

/** The parsed reply of a call, before any retry or lookup. */
export type ParsedResponse =
	| {
			data: unknown;
			/** Fields whose numbers were kept as text, because JavaScript would have written them differently. */
			numbers?: readonly string[];
	  }
	| { error: ExchangeError };

/**
 * Unwraps the envelope of an answer, or returns the error it stands for. `now` is needed for a Retry-After given as a
 * date.
 */
export function readResponse(
	operation: Operation,
	response: HttpResponse,
	apiKey: string,
	now: number,
): ParsedResponse {
	let numbers: Set<string> | undefined;
	const isReadable = response.body.length <= (operation.list ? LIST_BYTES_MAX : ANSWER_BYTES_MAX);
	const body = isReadable ? parseBody(response.body, (name) => (numbers ??= new Set()).add(name)) : undefined;
	if (isSuccess(response)) {
		const read = readSuccess(operation, response, body, apiKey);
		return numbers ? { ...read, numbers: [...numbers] } : read;
	}
	const said = reasonIn(body) ?? (response.body.trim() === '' ? undefined : response.body);
	const serviceMessage = said === undefined ? undefined : excerpt(said, apiKey);
	const code = codeOf(operation, response, serviceMessage);
	const requestId = requestIdIn(body, response, apiKey);
	const retryAfterMs = code === 'rate_limited' || response.status === 503 ? retryAfter(response, now) : undefined;
	return {
		error: new ExchangeError(code, {
			operation: operation.label,
			status: response.status,
			what: whatOf(operation, response),
			...(isFromBefore(response) ? {} : { serviceMessage }),
			serviceCode: codeIn(body, apiKey),
			retryAfterMs,
			advice: retryAfterMs === undefined ? adviceOf(operation, response) : patience(retryAfterMs),
			...(requestId === undefined ? {} : { details: { request_id: requestId } }),
		}),
	};
}

export const isSuccess = ({ status }: Pick<HttpResponse, 'status'>): boolean => status >= 200 && status < 300;

/** A failure or a negated word, in the form of `plainWord`. The `not` of `noted`, `notice` and `another` negates nothing. */
const failureWord =
	/^(?:f|false|ko|n|na[ck]k?|no|nok)$|(?<!no)err(?:or|\d|$)|^e\d|fail|reject|refus|declin|denied|invalid|insufficient|abort|unsuccess|unable|(?<!a)not(?!ed$|if|ic|at)|no(?:ne|such|thing)/;
/** Fields that tell why something failed. */
const reasonName = /(?<!no)error|fail|reject|refus|declin|denial|^reason$/;
const codeName = /^(?:status|response|resp|result|ret(?:urn)?)?code$/;
/** What a program writes where there is nothing. */
export const nothingWord = /^(?:0+|false|na|none|nil|null|undefined|ok|success|noerrors?)$/;

/**
 * Whether an answer or a part of it says a failure, beside an HTTP status or a type of a message that says success. It says
 * so by a reason of one, a code of no success, a failing or negated word in place of a status, or a no to what was asked
 * for. That is the verb of a write, such as `cancel`. An order may have a status of its own, and one that has ended says
 * why. A read tells what became of a command, so in its acknowledgement only known words count as success.
 */
export function saysFailure(body: unknown, asked = '', of: 'reply' | 'order' | 'acknowledgement' = 'reply'): boolean {
	if (!isItem(body)) return false;
	const hasEnded = of === 'order' && finality(statusOf(body) ?? '') === 'final';
	return Object.entries(body).some(([name, value]) => {
		const [field, word] = [plainWord(name), wordOf(value)];
		// Beside a list `failed` and `rejected` may be counts.
		if (reasonName.test(field))
			return !hasEnded && isFilled(value) && !(typeof value === 'number' && field.endsWith('ed'));
		if (codeName.test(field))
			return !hasEnded && (/^\d+$/.test(word) ? !/^(?:0+|1|2\d\d+)$/.test(word) : failureWord.test(word));
		if (isItem(value))
			return /^(?:status|state|result|outcome|response|meta)$/.test(field) && saysFailure(value, asked);
		if (/^(?:status|state|result|outcome|ack)$/.test(field) && !(of === 'order' && field === 'status'))
			return /^\d+$/.test(word)
				? Number(word) >= 400
				: of === 'acknowledgement'
					? !isUnderWay(word, asked)
					: failureWord.test(word);
		if (of !== 'reply' && /.(?:status|state|result|outcome)$/.test(field))
			return !nothingWord.test(word) && failureWord.test(word);
		return /^(?:0+|n|no|f|false)$/.test(word) && doneBy(asked, of !== 'reply').test(field);
	});
}

const stemOf = (verb: string): string => plainWord(verb).replace(/e$/, '');

/** The names that say whether it is done: of a `cancel` also `cancelled`. */
const doneBy = (asked: string, isOrder: boolean): RegExp =>
	new RegExp(
		`^(?:is|was|has)?(?:success(?:ful)?|succeeded|ok|done|valid${asked && `|(?:accept|plac|submitt|sav|${isOrder ? 'approv|' : ''}${stemOf(asked)}l?)ed`})$`,
	);

/** Words by which services say that something is done. */
const doneWords = ['true', 'yes', '1', 'ok', 'success', 'done', 'deleted', 'removed'];
const underWay =
	/^(?:|null|ack|acknowledged|accepted|noerrors?|notified|pending\w*|processing|queued|received|submitted)$/;

/** Whether a word says that what was asked for is done or on its way, as `cancelling` and `cancel_requested` of a `cancel`. */
const isUnderWay = (word: string, asked: string): boolean =>
	doneWords.includes(word) || underWay.test(word) || (word.startsWith(stemOf(asked)) && !failureWord.test(word));

/** The word of an operation for what it does. */
const verbOf = (operation: Operation): string =>
	isWrite(operation) ? operation.action.split(' ')[0]!.toLowerCase() : '';

/**
 * Whether an answer to a deletion says that it is done and nothing else, or says nothing at all. An identifier beside it says
 * no more.
 */
const saysDone = (body: unknown): boolean =>
	body === null ||
	(isItem(body) &&
		Object.entries(body).every(([name, value]) =>
			name === 'data'
				? saysDone(value)
				: /^(?:\w+_)?id$/i.test(name) || (doneNames.test(name) && doneWords.includes(wordOf(value))),
		));

const doneNames = /^(?:success|ok|done|status|deleted|removed|affected)$/i;

const wordOf = (value: unknown): string => plainWord(shortText(value) ?? (isObject(value) ? '' : String(value)));

/** Statuses of an answer that is a part of one, or several in one. */
const partial = [206, 207];

/** A record that comes alone in an array is that record. */
const aloneIn = (data: unknown): unknown =>
	Array.isArray(data) && data.length === 1 && isItem(data[0]) ? data[0] : data;

/** What was written may be in a field of its own. */
const partsOf = (data: unknown): unknown[] => (isItem(data) ? [data, data.order, data.recipient] : [data]);

const isFilled = (value: unknown): boolean =>
	isObject(value) ? Object.keys(value).length > 0 : Boolean(value) && !nothingWord.test(wordOf(value));

/**
 * Whether an error in the data is one of the answer: beside the rows of a list it is, and in a record it may be a field, as
 * of what a simulation made, which may have failed as asked.
 */
const tellsErrors = (operation: Operation): boolean =>
	operation.list !== undefined || (isWrite(operation) && operation.nonProduction !== true);

/** A service answers in JSON, so a page for people comes from something before it, which knows nothing of the service. */
export const isPage = ({ body }: Pick<HttpResponse, 'body'>): boolean => /^\s*</.test(body);

/** Whether a body that cannot be parsed is the beginning of JSON, whose rest may say anything. */
const isCut = ({ body }: HttpResponse): boolean => /^\s*[{[]/.test(body);

function readSuccess(operation: Operation, response: HttpResponse, body: unknown, apiKey: string): ParsedResponse {
	const envelope = (isObject(body) ? body : {}) as { status?: unknown; data?: unknown };
	const data = operation.list ? envelope.data : aloneIn(envelope.data);
	const isInForm = envelope.status === 'success' && isObject(data);
	const failed =
		partial.includes(response.status) ||
		saysFailure(body, verbOf(operation)) ||
		(tellsErrors(operation) &&
			partsOf(data).some((part) => saysFailure(part, verbOf(operation), isOrderWrite(operation) ? 'order' : 'reply')));
	const isEmpty = response.body.trim() === '';
	// What is only taken on is not gone yet.
	const isDone = !isDelete(operation) || (response.status !== 202 && (isEmpty || saysDone(body)));
	if (isInForm && !failed && isDone && showsList(operation, data)) return { data };
	// A delete may have an empty answer, or no data, and any write answered with 204 is silent.
	if (isDelete(operation) ? isDone : isEmpty && isSilent(operation, response)) return { data: body ?? {} };
	// The interface does not show the answers of the simulation, so any that says no failure is accepted.
	if (operation.nonProduction && !failed && (body !== undefined || !(isPage(response) || isCut(response))))
		return { data: isObject(envelope.data) ? envelope.data : isObject(body) ? body : {} };
	const said = failed ? reasonIn(body) : undefined;
	return {
		error: new ExchangeError('malformed_response', {
			operation: operation.label,
			status: response.status,
			what: failed
				? 'The answer says success and failure at once, or only a part'
				: !isDone
					? 'The answer does not say that it is done'
					: isInForm
						? 'The answer shows no list'
						: 'The answer is not in the form the service documents',
			serviceMessage: isEmpty ? 'nothing' : excerpt(said ?? response.body, apiKey),
		}),
	};
}

/**
 * A documented list that an answer lacks is not an empty one, nor is one that shows no rows and says that there are more. The
 * other lists may have any shape.
 */
function showsList({ list, outputNotShown }: Operation, data: unknown): boolean {
	if (list === undefined) return true;
	const rows = listIn(data, list.at);
	if (rows?.length === 0 && isItem(data) && moreNames.some((name) => data[name] === true)) return false;
	return rows ? !rows.includes(null) : outputNotShown !== undefined;
}

const moreNames = [...recordNames.list.more, 'more'];

const isDelete = (operation: Operation): boolean => routeOf(operation)?.startsWith('DELETE ') === true;

const isSilent = (operation: Operation, { status }: HttpResponse): boolean =>
	status === 204 && !isOrderWrite(operation) && !routeOf(operation)?.startsWith('GET ');

/** Words of a refusal that mean "no such record": the interface does not say which status the service uses for that. */
const saysAbsent = /not.?found|unknown|no such|does(n't| not) exist/i;

/** The last registered status of a refusal. A gateway says with a higher one, such as 499, that nobody waited for the answer. */
const REFUSAL_MAX = 451;

/**
 * The error code of a status. A status not listed here is a refusal if it is registered as one, and proves nothing if it
 * is not.
 */
function codeOf(operation: Operation, response: HttpResponse, said = ''): ErrorCode {
	const { status } = response;
	if (status === 401) return 'unauthorized';
	if (status === 403) return 'forbidden';
	if ((status === 404 || status === 410) && isFromBefore(response)) return 'refused';
	if (status === 404) return 'not_found';
	if (status === 408 || status === 425) return 'timeout';
	if (status === 409) return 'conflict';
	if (status === 429) return 'rate_limited';
	if (status === 410 || (readsOne(operation) && [400, 422].includes(status) && saysAbsent.test(said)))
		return 'not_found';
	if (status >= 400 && status <= REFUSAL_MAX) return 'refused';
	return status >= 300 && status < 400 ? 'malformed_response' : 'unavailable';
}

const readsOne = (operation: Operation): boolean => /_id\}$/.test(routeOf(operation) ?? '');
/** Whether a request is about something that may not exist. */
const namesOne = (operation: Operation): boolean =>
	isWrite(operation) || Object.values(operation.input).some(({ optional }) => !optional);

function whatOf(operation: Operation, response: HttpResponse): string {
	const { status } = response;
	if (isFromBefore(response))
		return `A firewall or proxy in front of the service refused the request with a page of its own (status ${status}), which says nothing of the key or of any record`;
	if (controlOf(operation) && status < 500) return `The control of the sandbox refused it (status ${status})`;
	if (status === 401) return 'The service does not know this key';
	if (status === 403)
		return operation.nonProduction
			? 'The simulation is not available here'
			: 'The key may not do this, or the account is not ready';
	if (status === 404) return 'The service does not find it';
	if (status === 409) return 'It conflicts with an existing record of the service';
	if (status === 429) return 'Too many requests';
	if (status >= 300 && status < 400)
		return `The address redirects elsewhere (status ${status}), which is never followed`;
	return status > REFUSAL_MAX ? `The service failed (status ${status})` : `The service refused it (status ${status})`;
}

/** Whether something before the service refused the request. "Too fast" is the same whoever says it. */
export const isFromBefore = (response: HttpResponse): boolean =>
	response.status >= 400 && response.status < 500 && response.status !== 429 && isPage(response);

/** Whether nothing was found, and nothing shows that it was the service that looked. */
export const isWordless = ({ status, body }: HttpResponse): boolean =>
	[404, 405].includes(status) && body.trim() === '';

function adviceOf(operation: Operation, response: HttpResponse): string | undefined {
	const { status } = response;
	if (isFromBefore(response))
		return 'Check the address of the account; if it is right, ask the operator of the service or of your network to let this machine through';
	if (controlOf(operation)) return controlAdvice(status);
	if (status === 403 && operation.nonProduction) return 'Use an account of the sandbox or staging environment';
	if (status === 404 && operation.nonProduction)
		return 'Check the email: it must belong to a test account of this environment';
	if (status === 404 && (!namesOne(operation) || (isOrderWrite(operation) && isWordless(response))))
		return 'Check the Service Address: nothing answers there under this path';
	return undefined;
}

function controlAdvice(status: number): string | undefined {
	if (status === 401) return 'Write the control token of the sandbox into Control Token of the account';
	if (status === 403) return 'Start the sandbox with --control-token and write that token into the account';
	return status === 404 ? 'Check that a sandbox answers at the address of the account' : 'Change what it names';
}

function codeIn(body: unknown, apiKey: string): string | undefined {
	if (!isItem(body)) return undefined;
	const inner = isItem(body.error) ? body.error.code : undefined;
	return word(body.code ?? body.error_code ?? inner, apiKey);
}

/** The request ID that the provider's support asks for, from any place the service may put it. */
function requestIdIn(body: unknown, response: HttpResponse, apiKey: string): string | undefined {
	const record = (isObject(body) ? body : {}) as Record<string, unknown>;
	return word(response.headers['x-request-id'] ?? record.request_id ?? record.requestId, apiKey);
}

/** A short word or number that is safe to show: not an echo of the key. */
function word(value: unknown, apiKey: string): string | undefined {
	const text = shortText(value) ?? '';
	return /^[\w.-]{1,64}$/.test(text) && redact(text, apiKey) === text ? text : undefined;
}

const patience = (ms: number): string => `Wait ${Math.ceil(ms / 1_000)} s before trying again, as the service asks`;

/**
 * Seconds or a date, which is held against the date of the same answer, because the local clock may be wrong. Invalid
 * values are ignored.
 */
export function retryAfter({ headers }: Pick<HttpResponse, 'headers'>, now: number): number | undefined {
	const header = headers['retry-after'];
	if (header === undefined) return undefined;
	const waitMs = /^\d+$/.test(header.trim())
		? Number(header) * 1000
		: (instantOf(header) ?? NaN) - (instantOf(headers.date) ?? now);
	return Number.isFinite(waitMs) && waitMs >= 0 ? waitMs : undefined;
}

/** What an answer says, with its numbers as they were written; undefined where it is no JSON. */
export function parseBody(text: string, onText?: (name: string) => void): unknown {
	try {
		return respell(parseExactly(text, onText));
	} catch {
		return undefined;
	}
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
