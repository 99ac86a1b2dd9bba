import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IConnections, IDataObject, INode } from 'n8n-workflow';
import { jobs } from '../support/jobs';

const folder = join(__dirname, '..', '..', 'examples', 'n8n');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

const guides = join(__dirname, '..', '..', 'docs', 'guides');
const guide = readFileSync(join(guides, 'examples.md'), 'utf8');

interface Example {
	name: string;
	nodes: (INode & { parameters: IDataObject })[];
	connections: IConnections;
}
/** The distance between nodes of a row that leaves room for their names. */
const NAME_WIDTH = 180;
const read = (file: string): Example => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Example;

/** All of them run in a complete n8n: test/hosts/n8n/jobs.ts and examples.ts. */
describe('the examples for n8n', () => {
	it.each(files)('the example %s can be imported and holds no credential', (file) => {
		const text = readFileSync(join(folder, file), 'utf8');
		const { nodes, connections } = read(file);
		expect(text).not.toMatch(/sandbox-key|apiKey|http:\/\//);
		const names = nodes.map(({ name }) => name);
		expect(new Set(names).size).toBe(names.length);
		for (const [from, { main = [] }] of Object.entries(connections))
			for (const name of [from, ...main.flatMap((wires) => wires ?? []).map(({ node }) => node)])
				expect(names).toContain(name);
	});

	it.each(files)('the example %s has notes that cover no node and no other note', (file) => {
		const { nodes } = read(file);
		const boxes = nodes.map(({ name, type, position: [left, top], parameters: { width, height } }) => {
			const [wide, high] = type.endsWith('stickyNote') ? [Number(width), Number(height)] : [100, 100];
			return { name, left, top, right: left + wide, bottom: top + high, isNote: type.endsWith('stickyNote') };
		});
		const overlaps = boxes
			.filter(({ isNote }) => isNote)
			.flatMap((note) =>
				boxes
					.filter((box) => box !== note && box.left < note.right && note.left < box.right)
					.filter((box) => box.top < note.bottom && note.top < box.bottom)
					.map((box) => `${note.name} covers ${box.name}`),
			);
		expect(overlaps).toEqual([]);
	});

	it.each(files)('the example %s leaves each node room for its name', (file) => {
		const nodes = read(file).nodes.filter(({ type }) => !type.endsWith('stickyNote'));
		const crowded = nodes.flatMap(({ name, position: [left, top] }) =>
			nodes
				.filter(({ position: [otherLeft, otherTop] }) => Math.abs(otherTop - top) < 80 && otherLeft > left)
				.filter(({ position: [otherLeft] }) => otherLeft - left < NAME_WIDTH)
				.map((other) => `${other.name} is too near to ${name}`),
		);
		expect(crowded).toEqual([]);
	});

	it.each(jobs)('the example %s stands in the guide with picture, readers and edits, as its note says', (job) => {
		const { nodes } = read(`${job}.json`);
		const row = guide.split('\n').find((line) => line.includes(`](../../examples/n8n/${job}.json)`)) ?? '';
		const [, use, edited = '', picture] = row.split(' | ');
		expect(picture).toContain(`](../images/examples/${job}.png)`);
		expect(existsSync(join(guides, '..', 'images', 'examples', `${job}.png`))).toBe(true);
		expect(use).toMatch(/\w/);
		const [note] = nodes.filter(({ type }) => type.endsWith('stickyNote'));
		expect(note!.parameters['content']).toMatch(/\n\nFor |\nFor [^]*\n\n\*\*Edit:\*\*/);
		const named = [...edited.matchAll(/_([^_]+)_/g)].map(([, name]) => name);
		expect(named.length).toBeGreaterThan(0);
		const words = [...nodes.map(({ name }) => name), 'Maximum Quantity', 'Error Workflow'];
		expect(words).toEqual(expect.arrayContaining(named));
		for (const name of named) expect(note!.parameters['content']).toContain(`**${name}**`);
	});
});
