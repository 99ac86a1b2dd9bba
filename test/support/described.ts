/** Holds answers and messages against the documents of the exchange, and these against what their authors publish. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exchangeAsyncApi } from '../../packages/sandbox/src/description/asyncapi';
import { exchangeOpenApi } from '../../packages/sandbox/src/description/openapi';

type Problems = readonly { instancePath: string; message?: string }[] | null | undefined;
type Check = ((value: unknown) => boolean) & { errors?: Problems };
interface Ajv {
	compile(schema: object): Check;
}
type AjvClass = new (options: object) => Ajv;

const VALIDATOR = '@seriousme/openapi-schema-validator';
const root = join(__dirname, '../..');
/** The validator of the OpenAPI document brings the Ajv that knows the JSON Schema of both documents. */
const beside = createRequire(join(root, 'node_modules', VALIDATOR, 'package.json'));
const ajvOf = (name: string): Ajv => {
	const { default: AjvOfName } = beside(name) as { default: AjvClass };
	const ajv = new AjvOfName({ strict: false, allErrors: true });
	(beside('ajv-formats') as { default(ajv: Ajv): void }).default(ajv);
	return ajv;
};

const problemsOf = (check: Check, value: unknown): string[] =>
	check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);

/** What is wrong with an OpenAPI document; its validator is an ES module, which the tests' loader is not. */
export async function openApiProblems(document: object): Promise<string> {
	const program = `import { Validator } from '${VALIDATOR}';
const { valid, errors } = await new Validator().validate(JSON.parse(process.argv[1]));
console.log(valid ? '' : JSON.stringify(errors));`;
	const argv = ['--input-type=module', '-e', program, JSON.stringify(document)];
	return (await promisify(execFile)(process.execPath, argv, { cwd: root })).stdout.trim();
}

export const asyncApiProblems = (document: object): string[] => {
	const schema = createRequire(__filename)('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object;
	return problemsOf(ajvOf('ajv').compile(schema), document);
};

interface Described {
	paths: Record<string, Record<string, { responses: { '2XX': { content?: Record<string, { schema: object }> } } }>>;
}
interface Streamed {
	channels: { stream: { messages: Record<string, { payload: object }> } };
}
const routes = exchangeOpenApi('0').paths as Described['paths'];
const { messages } = (exchangeAsyncApi('0') as unknown as Streamed).channels.stream;

const checks = new Map<object, Check>();
const checkOf = (schema: object): Check => {
	const check = checks.get(schema) ?? ajvOf('ajv/dist/2020').compile(schema);
	checks.set(schema, check);
	return check;
};

/** What in an answer is not as the document describes it; a silent answer has nothing to hold. */
export function answerProblems(method: string, template: string, body: string): string[] {
	const described = routes[template]?.[method.toLowerCase()];
	if (!described) return [`${method} ${template} is not described`];
	const schema = described.responses['2XX'].content?.['application/json']?.schema;
	return schema === undefined ? [] : problemsOf(checkOf(schema), JSON.parse(body));
}

/** What in a message of the stream, in either direction, is not as the document describes it. */
export function messageProblems(message: { type: string; action?: string }): string[] {
	const described = messages[message.type === 'command' ? String(message.action) : message.type];
	return described ? problemsOf(checkOf(described.payload), message) : [`${message.type} is not described`];
}
