import { errorCodes } from '../../packages/core/src/errors';
import { code, generated, page, table } from './words';

/** The page of error codes: why a call can fail, and what to do. */
export const errorsPage = (): string =>
	page(
		generated,
		'# Error codes',
		'The list is closed: flows may branch on these words. n8n has them in `details.code` on the error output, Node-RED in `msg.error.code`, ' +
			'a script in `error.code`. Beside it stand the facts a flow may need, such as `field`, `status`, `client_order_id` or `order_id`.',
		table(
			['Code', 'What to do', 'Trying again may help'],
			Object.entries(errorCodes).map(([name, { advice, retryable }]) => [code(name), advice, retryable ? 'yes' : 'no']),
		),
	);
