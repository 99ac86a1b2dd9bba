/** What the forms say, in the language of the editor. */
import { ACCOUNT_TYPE } from '../types';
import { $, RED } from './host';

/** A word of our locale. */
export const say = (key: string, facts?: Record<string, string>): string =>
	RED.nodes.getType(ACCOUNT_TYPE)._(key, facts);

/** Examples in the fields of a form, before the editor makes inputs of its own of them. */
export function showExamples(): void {
	$('.partner-exchange-form [data-example]').each(
		(_, input) => void $(input).attr('placeholder', say('common.example', { example: input.dataset.example! })),
	);
}

const DOT = ' · ';

/** A status is words and numbers with dots between them; the editor would look for all of it as one word. */
export function sayStatuses(types: readonly string[]): void {
	for (const definition of types.map((type) => RED.nodes.getType(type))) {
		const one = definition._;
		const part = (text: string): string => {
			const [, before, word, after] = /^(\d+ )?(.*?)( \d+)?$/.exec(text)!;
			return `${before ?? ''}${word === '' ? '' : one(word!)}${after ?? ''}`;
		};
		definition._ = (key, facts) => (key.includes(DOT) ? key.split(DOT).map(part).join(DOT) : one(key, facts));
	}
}
