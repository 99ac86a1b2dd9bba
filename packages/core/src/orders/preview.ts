import type { Account } from '../account';
import { commandOf } from '../catalogue';
import type { Item } from '../wire/payload';
import { buildRequest } from '../wire/request';
import type { Plan } from './plan';

const HIDDEN = '[hidden]';

/** What a dry run shows: everything that would go out, except the key. */
export function preview({ id, operation, fields }: Plan, account: Account): Item {
	const action = commandOf(operation);
	if (action) {
		// Every transmission draws a request_id of its own.
		return {
			dry_run: true,
			command: { type: 'command', request_id: '[drawn when sent]', action, ...fields },
		};
	}
	const { method, url, headers, body } = buildRequest(id, operation, fields, account);
	const shown = Object.entries(headers).map(([name, value]) => [name, name === 'x-api-key' ? HIDDEN : value]);
	return {
		dry_run: true,
		request: { method, url, headers: Object.fromEntries(shown) as Item, body: JSON.parse(body ?? 'null') as unknown },
	};
}
