import { isTransient } from '../../nodes/shared/host/errors';
import { errorCodes, ExchangeError, type ErrorCode } from '../../packages/core/src/errors';
import { failedText } from '../../packages/node-red/src/host/failure';
import { code, generated, page, table } from './words';

/** What each code says, for somebody who meets it in a flow. A missing code does not compile. */
const meanings: Readonly<Record<ErrorCode, string>> = {
	invalid_input: 'A field is missing or breaks a rule; `field` names it',
	invalid_account: 'A setting of the account is missing or cannot be right; `field` names it',
	not_available: 'It cannot be done here and now: the environment lacks it, or something it needs cannot be read',
	unauthorized: 'The service does not know the key',
	forbidden: 'The service knows the key, and the key may not do this',
	not_found: 'The service has no such record',
	conflict: 'The service has another record under this key or name',
	rate_limited: 'There were too many requests in a short time',
	refused: 'The service refused the request and gave a reason',
	unreachable: 'No connection to the service came about',
	timeout: 'The service did not answer in time',
	unavailable: 'The service failed, or the connection broke',
	malformed_response: 'The answer cannot be one of the exchange',
	outcome_unknown: 'The request was sent, and nobody knows whether it was carried out',
	rejected: 'The service took the order and then rejected it',
	unfilled: 'The order ended before anything was filled',
	time_limit: 'The time to wait was over before the order or transaction was ready',
	limit_reached: 'A limit of the account or of this software is reached; the message names it',
	stream_closed: 'The stream is not connected, and this needs it',
	aborted: 'The caller stopped the call',
};

/** The page of error codes: why a call can fail, and what to do. */
export const errorsPage = (): string =>
	page(
		generated,
		'# Error codes',
		'The list is closed: flows may branch on these words. n8n has them in `details.code` on the error output, where an error of n8n itself is `unexpected`, Node-RED in `msg.error.code`, ' +
			'a script in `error.code`. Beside it stand the facts a flow may need, such as `field`, `status`, `client_order_id` or `order_id`.',
		'An order that fails says in its sentence, and to flows in `done`, whether it was placed: `no`, `yes` (it was placed, and ended otherwise than wanted) or `unknown`. ' +
			'So do a cancel and a replacement.',
		'Both hosts tell each cause with what happened and what to do: n8n in the error of the execution, or in its log while a trigger waits, Node-RED in the message that Catch nodes get.',
		table(
			['Code', 'What it means', 'What to do', 'Trying again may help', 'A trigger of n8n', 'Below a node of Node-RED'],
			(Object.keys(errorCodes) as ErrorCode[]).map((name) => {
				const { advice, retryable } = errorCodes[name];
				const error = new ExchangeError(name, { what: meanings[name] });
				const inN8n = isTransient(error) ? 'waits, and logs it once' : 'starts the error workflow once';
				return [code(name), meanings[name], advice, retryable ? 'yes' : 'no', inN8n, `_${failedText(error)}_`];
			}),
		),
	);
