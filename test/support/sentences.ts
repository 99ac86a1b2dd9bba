/** A sentence of a Markdown page, with the number of its words. */
export interface Sentence {
	text: string;
	words: number;
}

/**
 * The sentences of a Markdown page, without code, tables of numbers and addresses. A list item, a heading and a cell of
 * a table end a sentence; a semicolon or a colon within it does not.
 */
export function sentencesOf(markdown: string): Sentence[] {
	return blocksOf(markdown)
		.flatMap((block) => plain(block).split(/(?<=[.!?][)"*_]*)\s+(?=[\p{Lu}\p{N}_*"(`~]|n8n|npm)/u))
		.map((text) => text.trim())
		.filter((text) => /\p{L}{2}/u.test(text))
		.map((text) => ({ text, words: text.split(/\s+/).filter((word) => /[\p{L}\p{N}~]/u.test(word)).length }));
}

/** Paragraphs, list items, headings and cells. */
function blocksOf(markdown: string): string[] {
	const prose = markdown.replace(/^---\n[\s\S]*?\n---\n/, '').replace(/^( *)```[\s\S]*?^\1```$/gm, '');
	const blocks = [''];
	for (const line of prose.split('\n')) {
		if (/^\s*\|/.test(line)) blocks.push(...line.split(/(?<!\\)\|/), '');
		else if (/^\s*$|^#|^!\[/.test(line)) blocks.push(line, '');
		else if (/^\s*(?:[-*+]|\d+\.) /.test(line)) blocks.push(line.replace(/^\s*(?:[-*+]|\d+\.) /, ''));
		else blocks[blocks.length - 1] += ` ${line}`;
	}
	return blocks;
}

/** Text as a reader sees it: a link is its words, a piece of code one word, and file names in brackets none. */
const plain = (block: string): string =>
	block
		.replace(/`[^`]*`/g, '~')
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replace(/ \((?:[~+, ]|and)+\)/g, '')
		.replace(/\*\*|__/g, '')
		.replace(/^#+ /, '')
		.replace(/<[^>]+>/g, '~');
