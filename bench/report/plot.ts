import type { Area } from '../area';
import { cpuEach, type Samples } from '../rounds';
import type { Row } from './row';

/** Plots as plain SVG, readable on light and on dark pages. */

const WIDTH = 760;
const BAR = 22;
const GAP = 8;
const LEFT = 300;
const RIGHT = 130;
const STYLE =
	'<style>text{font:13px system-ui,sans-serif;fill:#57606a}.value{font-weight:600}.ours{fill:#2da44e}.peer{fill:#8c959f}.part{fill:#bfc5cc}.range{stroke:#57606a;stroke-width:1.5}.line{fill:none;stroke:#2da44e;stroke-width:2}.axis{stroke:#8c959f;stroke-width:1}</style>';

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const frame = (height: number, label: string, body: string): string =>
	`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(label)}">${STYLE}${body}</svg>\n`;

/** One bar for each contestant, as long as its ratio, with the range of the rounds over it. */
export function bars(title: string, rows: readonly Row[]): string {
	const longest = Math.max(...rows.map(({ ratio }) => ratio.highest));
	const x = (value: number): number => LEFT + (value / longest) * (WIDTH - LEFT - RIGHT);
	const drawn = rows.map(({ title: name, ratio, shownRatio, peer }, index) => {
		const y = GAP + index * (BAR + GAP);
		const middle = y + BAR / 2;
		const kind = peer ? 'peer' : name.startsWith('ours') ? 'ours' : 'part';
		return [
			`<text x="${LEFT - 8}" y="${middle + 4}" text-anchor="end">${escaped(name)}</text>`,
			`<rect class="${kind}" x="${LEFT}" y="${y}" width="${(x(ratio.median) - LEFT).toFixed(1)}" height="${BAR}" rx="3"/>`,
			`<line class="range" x1="${x(ratio.lowest).toFixed(1)}" x2="${x(ratio.highest).toFixed(1)}" y1="${middle}" y2="${middle}"/>`,
			`<text class="value" x="${(x(ratio.highest) + 6).toFixed(1)}" y="${middle + 4}">${shownRatio}</text>`,
		].join('');
	});
	return frame(GAP + rows.length * (BAR + GAP), title, drawn.join(''));
}

const HEIGHT = 240;
const MARGIN = 40;

/** Cost of each thing over a quantity that grows, which the name of each contestant holds, both as they are: flat means that size does not matter. */
export function curve(area: Area, samples: Samples): string {
	const points = Object.keys(area.contestants)
		.filter((name) => samples[name])
		.map((name) => ({ name: Number(name.slice(2)).toLocaleString('en'), cost: cpuEach(samples[name]!) }));
	const highest = Math.max(...points.map(({ cost }) => cost.highest)) * 1.1;
	const x = (index: number): number => MARGIN * 2 + (index / Math.max(1, points.length - 1)) * (WIDTH - MARGIN * 4);
	const y = (value: number): number => HEIGHT - MARGIN - (value / highest) * (HEIGHT - MARGIN * 1.5);
	const line = points.map(({ cost }, index) => `${x(index).toFixed(1)},${y(cost.median).toFixed(1)}`).join(' ');
	const marks = points.map(({ name, cost }, index) =>
		[
			`<line class="range" x1="${x(index)}" x2="${x(index)}" y1="${y(cost.lowest).toFixed(1)}" y2="${y(cost.highest).toFixed(1)}"/>`,
			`<circle class="ours" cx="${x(index)}" cy="${y(cost.median).toFixed(1)}" r="4"/>`,
			`<text x="${x(index)}" y="${HEIGHT - MARGIN + 18}" text-anchor="middle">${escaped(name)}</text>`,
			`<text class="value" x="${x(index)}" y="${(y(cost.highest) - 8).toFixed(1)}" text-anchor="middle">${cost.median.toPrecision(3)} us</text>`,
		].join(''),
	);
	const axis = `<line class="axis" x1="${MARGIN}" x2="${WIDTH - MARGIN}" y1="${HEIGHT - MARGIN}" y2="${HEIGHT - MARGIN}"/>`;
	const label = `<text x="${WIDTH / 2}" y="${HEIGHT - 4}" text-anchor="middle">${escaped(area.curve ?? '')}</text>`;
	return frame(HEIGHT, area.title, `${axis}<polyline class="line" points="${line}"/>${marks.join('')}${label}`);
}
