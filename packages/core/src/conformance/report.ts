import { namesOf, type Finding, type Verdict } from './finding';

/** The table a person reads at the terminal. */
export function tableOf(findings: readonly Finding[]): string {
	const width = Math.max(...findings.map(({ about }) => about.length));
	const lines = findings.map(({ about, verdict, seen, todo }) =>
		[
			`${about.padEnd(width)}  ${verdict.padEnd(14)}  ${seen}`,
			...(todo ? [`${' '.repeat(width + 18)}${todo}`] : []),
		].join('\n'),
	);
	return [...lines, '', summaryOf(findings)].join('\n');
}

const count = (findings: readonly Finding[], wanted: Verdict): number =>
	findings.filter(({ verdict }) => verdict === wanted).length;

function summaryOf(findings: readonly Finding[]): string {
	const [holding, differing, unknown] = [
		count(findings, 'held'),
		count(findings, 'differs'),
		count(findings, 'could not tell'),
	];
	return `${findings.length} assumptions: ${holding} held, ${differing} differ, ${unknown} could not be told.`;
}

/** A page to send to the provider: what we assumed, what we saw, and what we ask. It holds no key. */
export function reportOf(findings: readonly Finding[], address: string): string {
	const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
	const rows = (wanted: Verdict) =>
		findings
			.filter(({ verdict }) => verdict === wanted)
			.map(({ about, seen, name }) => `| ${about} | ${cell(seen)} | ${cell(name ?? '')} |`);
	const section = (title: string, wanted: Verdict) => {
		const found = rows(wanted);
		return found.length === 0
			? []
			: ['', `## ${title}`, '', '| What | Seen | Your name |', '| --- | --- | --- |', ...found];
	};
	return [
		'# What a client found out about the partner exchange',
		'',
		`Address: ${address}. ${summaryOf(findings)} The interface document leaves these open; please confirm or correct them.`,
		...section('Differs from what we assume', 'differs'),
		...section('We could not tell', 'could not tell'),
		...section('Holds', 'held'),
		'',
	].join('\n');
}

/** The value of `names` of the account, as JSON. */
export const namesText = (findings: readonly Finding[]): string => `${JSON.stringify(namesOf(findings), null, '\t')}\n`;
