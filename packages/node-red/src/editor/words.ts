/** Texts of the forms in the language of the editor. */
import { ACCOUNT_TYPE } from '../types';
import { $, RED } from './host';

/** Translates a key of our locale. */
export const say = (key: string, facts?: Record<string, string>): string =>
	RED.nodes.getType(ACCOUNT_TYPE)._(key, facts);

/** Shows example values in the fields; must run before the editor replaces the inputs by its widgets. */
export function showExamples(): void {
	$('.partner-exchange-form [data-example]').each((_, input) => {
		const { example = '', pick } = input.dataset;
		$(input).attr('placeholder', say(pick === undefined ? 'common.example' : 'common.exampleOfList', { example }));
	});
}

const DOT = ' · ';

/** Translates a status word by word, because the editor would look up the whole text `a · 3 b` as one key. */
export function sayStatuses(types: readonly string[]): void {
	for (const definition of types.map((type) => RED.nodes.getType(type))) {
		const translate = definition._;
		const part = (text: string): string => {
			const [, before, word, after] = /^(\d+ )?(.*?)( \d.*)?$/.exec(text)!;
			return `${before ?? ''}${word === '' ? '' : translate(word!)}${after ?? ''}`;
		};
		definition._ = (key, facts) => (/\d| · /.test(key) ? key.split(DOT).map(part).join(DOT) : translate(key, facts));
	}
}
