import { addressLabels, environments, type Environment } from '@partner-exchange/core/catalogue';
import type { INodeProperties, ICredentialDataDecryptedObject } from 'n8n-workflow';

const names = Object.keys(environments) as Environment[];
const { baseUrl, wsUrl } = environments.sandbox;

/** Environment and addresses of the credential. */
export const environmentForm = (): INodeProperties[] => [
	{
		displayName: 'Environment',
		name: 'environment',
		type: 'options',
		options: names.map((value) => ({ name: environments[value].label, value, description: environments[value].help })),
		default: 'sandbox',
	},
	...address({
		displayName: addressLabels.baseUrl,
		name: 'baseUrl',
		local: baseUrl,
		placeholder: 'e.g. https://api.example.com/v1',
		description: 'Address of the REST routes, ending in /v1, as the provider gave it for this environment',
	}),
	...address({
		displayName: addressLabels.wsUrl,
		name: 'wsUrl',
		local: wsUrl,
		placeholder: 'e.g. wss://api.example.com/v1/ws',
		isOptional: true,
		description:
			'Leave it empty where the stream is at the Service Address with /ws behind it, as the interface has it. Its certificate and address are checked right before the connection, which n8n lets no node guard itself: do not set NODE_TLS_REJECT_UNAUTHORIZED=0, and use a name that only you can point elsewhere.',
	}),
];

interface Address extends Pick<INodeProperties, 'displayName' | 'name' | 'placeholder' | 'description'> {
	local: string;
	/** It can be told from the other address. */
	isOptional?: boolean;
}

/**
 * The address of the local sandbox is the same for all, so it is not stored: an empty field means it. A form cannot
 * empty a field when another environment is chosen, and this one has nothing to empty.
 */
const address = ({ local, isOptional = false, ...words }: Address): INodeProperties[] => [
	{
		...words,
		type: 'string',
		default: '',
		placeholder: local,
		description: isOptional
			? 'Leave it empty: it follows from the Service Address'
			: 'Leave it empty for the sandbox on this machine',
		displayOptions: { show: { environment: ['sandbox'] } },
	},
	{
		...words,
		type: 'string',
		required: !isOptional,
		default: '',
		// Shown by the environments that need it: n8n checks what it saves without the default of the environment.
		displayOptions: { show: { environment: names.filter((name) => name !== 'sandbox') } },
	},
];

interface Section extends Pick<INodeProperties, 'displayName' | 'name' | 'placeholder' | 'description'> {
	fields: readonly INodeProperties[];
}

/** A part of the credential's form from which fields are added one by one. */
export const section = ({ fields, ...words }: Section): INodeProperties => ({
	...words,
	type: 'fixedCollection',
	default: {},
	options: fields.map((field) => ({ name: field.name, displayName: field.displayName, values: [field] })),
});

/** The fields of all sections beside those of the form itself. */
export function withoutSections(credential: ICredentialDataDecryptedObject): ICredentialDataDecryptedObject {
	const { limits, advanced, ...plain } = credential;
	const groups = [limits, advanced].filter(isRecord).flatMap((part) => Object.values(part).filter(isRecord));
	return Object.assign(plain, ...groups) as ICredentialDataDecryptedObject;
}

const FIXED = 'fixed';

/**
 * The form with a hidden field that lists the fields without an expression: n8n tells a node only what expressions give,
 * and reads its database each time it is asked for a credential. The hidden field reads the others as they are
 * written, and first itself, to prove that they come so.
 */
export function withFixed(fields: readonly INodeProperties[]): INodeProperties[] {
	const names = JSON.stringify([...new Set(fields.map(({ name }) => name))]);
	const isExpression = `(name) => JSON.stringify($rawParameter['&' + name]).includes('"=')`;
	const fixed = `names.filter((name) => { try { return !isExpression(name) } catch { return false } })`;
	const listed = `((names, isExpression) => isExpression('${FIXED}') ? ${fixed}.join() : '')(${names}, ${isExpression})`;
	return [
		...fields,
		{ displayName: 'Fields Without an Expression', name: FIXED, type: 'hidden', default: `={{ ${listed} }}` },
	];
}

/** Whether no field of a credential is an expression, so that it is the same for all items of a run. */
export const isFixed = ({ [FIXED]: listed, ...fields }: ICredentialDataDecryptedObject): boolean =>
	typeof listed === 'string' && Object.keys(fields).every((name) => listed.split(',').includes(name));

const isRecord = (value: unknown): value is ICredentialDataDecryptedObject =>
	typeof value === 'object' && value !== null;
