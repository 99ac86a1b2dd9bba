/** Text for html and for scripts inside it. */
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character]!);

export const attributes = (values: Readonly<Record<string, string | undefined>>): string =>
	Object.entries(values)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => ` ${name}="${escape(value!)}"`)
		.join('');

/** One labelled row of a form. `key` names its words in the locale. */
export const row = (
	label: { for: string; icon?: string; key: string; help?: string },
	content: string,
	more: Readonly<Record<string, string | undefined>> = {},
): string => {
	const { class: name, ...rest } = more;
	const title = label.help ? `[title]${label.help}` : undefined;
	const icon = label.icon ? `<i class="fa fa-${label.icon}"></i> ` : '';
	return [
		`\t<div${attributes({ class: name ? `form-row ${name}` : 'form-row', ...rest, 'data-i18n': title })}>`,
		`\t\t<label for="${label.for}">${icon}<span data-i18n="${label.key}"></span></label>`,
		`\t\t${content}`,
		'\t</div>',
	].join('\n');
};

export const select = (id: string, options: readonly { value: string; key: string }[]): string =>
	`<select id="${id}">${options.map(({ value, key }) => `<option value="${escape(value)}" data-i18n="${key}"></option>`).join('')}</select>`;

export const script = (type: string, names: Readonly<Record<string, string>>, content: string): string =>
	`<script${attributes({ type, ...names })}>\n${content}\n</script>`;

/** A form as the editor looks it up by the type of its node. */
export const form = (type: string, rows: readonly string[]): string =>
	script(
		'text/html',
		{ 'data-template-name': type },
		['<div class="partner-exchange-form">', ...rows.filter((row) => row !== ''), '</div>'].join('\n'),
	);
