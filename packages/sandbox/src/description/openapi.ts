import {
	environments,
	isOrderWrite,
	operationIds,
	operationOf,
	type Operation,
	type OperationId,
} from '@partner-exchange/core/catalogue';
import {
	assumedAs,
	isRequired,
	namedFields,
	routePartsOf,
	schemaOfField,
	schemaOfShape,
	takesFreeFields,
	type JsonSchema,
} from './json-schema';

const UNKNOWN_ERROR = 'The shape of an error is not shown';

/** The REST routes of the exchange as OpenAPI 3.1, for Postman, Bruno and generators. */
export function exchangeOpenApi(version: string): JsonSchema {
	const paths: Record<string, Record<string, JsonSchema>> = {};
	for (const id of operationIds) {
		const operation = operationOf(id);
		const [method, path] = routePartsOf(operation) ?? [];
		if (method === undefined || path === undefined) continue;
		(paths[path] ??= {})[method.toLowerCase()] ??= described(id, operation, method, path);
	}
	return {
		openapi: '3.1.0',
		info: {
			title: 'Partner exchange',
			version,
			description:
				'Written from the catalogue of the client. Whatever the interface does not show carries `x-assumed` with the reason. Cancel and replace are commands of the stream, which AsyncAPI describes.',
		},
		servers: [{ url: environments.sandbox.baseUrl, description: 'The sandbox on this machine' }],
		security: [{ apiKey: [] }],
		paths,
		components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
	};
}

function described(id: OperationId, operation: Operation, method: string, path: string): JsonSchema {
	const reads = method === 'GET' || method === 'DELETE';
	const fields = namedFields(operation);
	const inPath = fields.filter(([name]) => path.includes(`{${name}}`));
	const others = fields.filter(([name]) => !path.includes(`{${name}}`));
	const parameters = [
		...inPath.map(([name, field]) => ({ name, in: 'path', required: true, schema: schemaOfField(field) })),
		...(reads ? others : []).map(([name, field]) => ({
			name,
			in: 'query',
			required: isRequired(field),
			schema: schemaOfField(field),
		})),
		...(isOrderWrite(operation)
			? [{ name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string', maxLength: 128 } }]
			: []),
	];
	return {
		operationId: id,
		summary: operation.label,
		description: `${operation.help}.`,
		...(operation.access === 'public' && { security: [] }),
		...(parameters.length > 0 && { parameters }),
		...(!reads && {
			requestBody: { required: true, content: { 'application/json': { schema: bodyOf(operation, others) } } },
		}),
		responses: {
			'2XX': answerOf(operation, method),
			default: {
				description: 'Refused or failed',
				...assumedAs(UNKNOWN_ERROR),
				content: { 'application/json': { schema: {} } },
			},
		},
	};
}

function bodyOf(operation: Operation, fields: ReturnType<typeof namedFields>): JsonSchema {
	const needed = fields.filter(([, field]) => isRequired(field)).map(([name]) => name);
	return {
		type: 'object',
		properties: Object.fromEntries(fields.map(([name, field]) => [name, schemaOfField(field)])),
		...(needed.length > 0 && { required: needed }),
		additionalProperties: takesFreeFields(operation),
	};
}

/** Every answer is an envelope of `data` and `status`; a delete may be silent. (Interface, part 2.) */
function answerOf(operation: Operation, method: string): JsonSchema {
	const envelope = {
		type: 'object',
		properties: { status: { const: 'success' }, data: dataOf(operation) },
		required: ['status', 'data'],
	};
	const isSilent = method === 'DELETE' || operation.nonProduction === true;
	return {
		description: 'Done',
		...assumedAs(operation.outputNotShown),
		...(!isSilent && { content: { 'application/json': { schema: envelope } } }),
	};
}

function dataOf({ list, output, outputNotShown }: Operation): JsonSchema {
	if (!list) return schemaOfShape(output);
	const items = { type: 'array', items: schemaOfShape(output) };
	if (list.at === undefined) return items;
	// Where the answer is not shown, a bare array is accepted, too.
	if (outputNotShown !== undefined) return {};
	return { type: 'object', properties: { [list.at]: items }, required: [list.at] };
}
