/** A block comment, line comments right below each other, or one behind code. */
const COMMENT =
	/^[ \t]*\/\*\*?(?<block>[\s\S]*?)\*\/|(?<lines>(?:^[ \t]*\/\/ .*\n)+)|(?<=[;,{([] )\/\/ (?<behind>.*)$/gm;

/** The comments of a source, each as one line of text without its signs, except links and tags of TSDoc. */
export const commentsOf = (source: string): string[] =>
	[...source.matchAll(COMMENT)].map(({ groups: { block, lines, behind = '' } = {} }) =>
		(block?.replace(/^\s*\*(?: @\w+)? ?/gm, '') ?? lines?.replace(/^\s*\/\/ /gm, '') ?? behind)
			.replace(/\s+/g, ' ')
			.trim(),
	);

/** A source without its comments, in which the words that people see are. */
export const withoutComments = (source: string): string => source.replace(COMMENT, '');
