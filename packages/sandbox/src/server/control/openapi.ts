import type { ControlRoute, ControlRoutes } from './route';
import { CONTROL_PREFIX } from './serve';

/** The OpenAPI document of the control API, generated from its route table. */
export function openApiDocument(routes: ControlRoutes, version: string): object {
	const paths: Record<string, Record<string, object>> = {};
	for (const [name, route] of Object.entries(routes)) {
		const [method, path] = name.split(' ') as [string, string];
		const methods = (paths[`${CONTROL_PREFIX}${path}`] ??= {});
		methods[method.toLowerCase()] = operationOf(`${method.toLowerCase()}_${path.replace(/\W/g, '_')}`, route);
	}
	return {
		openapi: '3.1.0',
		info: {
			title: 'Control of the sandbox exchange',
			version,
			description: 'From the machine of the sandbox without credentials; from others with its control token.',
		},
		servers: [{ url: '/' }],
		paths,
		components: {
			securitySchemes: {
				token: { type: 'http', scheme: 'bearer', description: 'The value of --control-token' },
				browser: { type: 'http', scheme: 'basic', description: 'Any user name, the token as the password' },
			},
			schemas: { Refusal: refusalSchema },
		},
		security: [{}, { token: [] }, { browser: [] }],
	};
}

const refusalSchema = {
	type: 'object',
	properties: {
		error: {
			type: 'object',
			properties: { code: { type: 'string' }, message: { type: 'string' } },
			required: ['code', 'message'],
		},
	},
	required: ['error'],
};

function operationOf(operationId: string, { summary, body, query = {}, answers = ['done'] }: ControlRoute): object {
	const parameters = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }));
	return {
		operationId,
		summary,
		...(parameters.length > 0 && { parameters }),
		...(body && {
			requestBody: {
				required: (body.required ?? []).length > 0,
				content: { 'application/json': { schema: { ...body, additionalProperties: false } } },
			},
		}),
		responses: {
			'200': {
				description: 'Done',
				content: {
					'application/json': {
						schema: { type: 'object', properties: Object.fromEntries(answers.map((name) => [name, {}])) },
					},
				},
			},
			default: {
				description: 'Refused',
				content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
			},
		},
	};
}
