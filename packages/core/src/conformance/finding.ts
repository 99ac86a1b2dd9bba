/** What became of one assumption of the client at a real service. */
type Verdict = 'held' | 'differs' | 'could not tell';

export interface Finding {
	/** The input or operation it is about, as docs/assumptions.md names it. */
	about: string;
	verdict: Verdict;
	/** What was seen, without keys. */
	seen: string;
	/** What to do about it; empty where it held. */
	todo: string;
	/** The name the service uses, for `names` of the account. */
	name?: string;
}

export const holds = (about: string, seen: string): Finding => ({ about, verdict: 'held', seen, todo: '' });

export const differs = (about: string, seen: string, todo: string, name?: string): Finding => ({
	about,
	verdict: 'differs',
	seen,
	todo,
	...(name === undefined ? {} : { name }),
});

export const unclear = (about: string, seen: string, todo: string): Finding => ({
	about,
	verdict: 'could not tell',
	seen,
	todo,
});

/** The mapping for `names` of the account: what the service calls differently. */
export const namesFound = (findings: readonly Finding[]): Record<string, string> =>
	Object.fromEntries(findings.flatMap(({ about, name }) => (name === undefined ? [] : [[about, name]])));

/** Names of a group that a line shows; the report has all. */
const SHOWN_MAX = 3;

/**
 * The table a person reads at the terminal: what differs comes first, and all that stayed open for the same reason is
 * one line.
 */
export function tableOf(findings: readonly Finding[]): string {
	const of = (wanted: Verdict) => findings.filter(({ verdict }) => verdict === wanted);
	const width = [...of('differs'), ...of('held')].reduce((longest, { about }) => Math.max(longest, about.length), 0);
	const line = ({ about, verdict, seen, todo }: Finding) =>
		[
			`${about.padEnd(width)}  ${verdict.padEnd(14)}  ${seen}`,
			...(todo ? [`${' '.repeat(width + 18)}${todo}`] : []),
		].join('\n');
	const parts = [of('differs').map(line), groupsOf(of('could not tell')), of('held').map(line), [summaryOf(findings)]];
	return parts
		.filter((lines) => lines.length > 0)
		.map((lines) => lines.join('\n'))
		.join('\n\n');
}

function groupsOf(findings: readonly Finding[]): string[] {
	const groups = new Map<string, string[]>();
	for (const { about, seen, todo } of findings) {
		const reason = `${seen}. ${todo}`;
		groups.set(reason, [...(groups.get(reason) ?? []), about]);
	}
	return [...groups].map(([reason, names]) => {
		const more = names.length > SHOWN_MAX ? ` and ${names.length - SHOWN_MAX} more` : '';
		return `could not tell  ${names.length}: ${names.slice(0, SHOWN_MAX).join(', ')}${more}: ${reason}`;
	});
}

function summaryOf(findings: readonly Finding[]): string {
	const count = (wanted: Verdict): number => findings.filter(({ verdict }) => verdict === wanted).length;
	return `${findings.length} assumptions: ${count('held')} held, ${count('differs')} differ, ${count('could not tell')} could not be told.`;
}

/** A page to send to the provider: what the client assumes, what was seen, and what is asked. It holds no key. */
export function reportOf(findings: readonly Finding[], address: string): string {
	const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
	const rows = (wanted: Verdict) =>
		findings
			.filter(({ verdict }) => verdict === wanted)
			.map(({ about, seen, name }) => `| ${about} | ${cell(seen)} | ${cell(name ?? '')} |`);
	const section = (title: string, wanted: Verdict) => {
		const lines = rows(wanted);
		return lines.length === 0
			? []
			: ['', `## ${title}`, '', '| What | Seen | Your name |', '| --- | --- | --- |', ...lines];
	};
	return [
		'# What a client found out about the partner exchange',
		'',
		`Address: ${address}. ${summaryOf(findings)} The interface document leaves these open; please confirm or correct them.`,
		...section('Differs from what the client assumes', 'differs'),
		...section('Could not be found out', 'could not tell'),
		...section('Holds', 'held'),
		'',
	].join('\n');
}

/** The value of `names` of the account, as JSON. */
export const namesText = (findings: readonly Finding[]): string =>
	`${JSON.stringify(namesFound(findings), null, '\t')}\n`;
