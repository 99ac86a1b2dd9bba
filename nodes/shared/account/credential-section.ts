import type { ICredentialDataDecryptedObject, INodeProperties } from 'n8n-workflow';

/** Texts that stand for nothing: `none` and `{}` are what forms of earlier versions began with. */
const NOTHING = ['none', 'undefined', 'null', '{}'];

interface Section extends Pick<INodeProperties, 'displayName' | 'name' | 'placeholder' | 'description'> {
	fields: readonly INodeProperties[];
}

/**
 * A part of the credential's form from which fields are added one by one. Fields of the same names beside it hold what
 * was stored before there were sections; each is shown while it holds something, because n8n drops what a form hides.
 */
export const section = ({ fields, ...words }: Section): INodeProperties[] => [
	{
		...words,
		type: 'fixedCollection',
		default: {},
		options: fields.map((field) => ({ name: field.name, displayName: field.displayName, values: [field] })),
	},
	...fields.map((field): INodeProperties => ({
		...field,
		default: field.type === 'boolean' ? false : '',
		// Never by a regular expression: n8n gives one 250 ms each time it opens the credential, also before an order.
		displayOptions:
			field.type === 'boolean'
				? { show: { [field.name]: [true] } }
				: { show: { [field.name]: [{ _cnd: { exists: true } }] }, hide: { [field.name]: NOTHING } },
	})),
];

/** The fields of all sections beside those of the form itself; what is in a section comes first. */
export function withoutSections(credential: ICredentialDataDecryptedObject): ICredentialDataDecryptedObject {
	const { limits, advanced, ...plain } = credential;
	const groups = [limits, advanced].filter(isRecord).flatMap((part) => Object.values(part).filter(isRecord));
	return Object.assign(plain, ...groups) as ICredentialDataDecryptedObject;
}

const isRecord = (value: unknown): value is ICredentialDataDecryptedObject =>
	typeof value === 'object' && value !== null;
