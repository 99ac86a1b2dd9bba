/** Files of the machine that somebody else, or a failing disk, has written to. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { fileJournal } from '@partner-exchange/core/node';
import { isCheckpointLost, checkpointFile } from '../../packages/node-red/src/checkpoints/checkpoints';
import { hostileRecord, hostileText, hostileValue } from './hostile';
import { target, type Target } from './target';

const hostileEntry = fc.oneof(
	fc.record({ settle: hostileValue }),
	fc.record({
		record: fc.record({
			key: fc.oneof(fc.string(), hostileValue),
			operation: fc.constantFrom('order.create', 'order.list', 'constructor'),
			fields: hostileRecord,
			at: fc.oneof(fc.nat(), hostileValue),
		}),
	}),
);

export const fileTargets: Target[] = [
	target(
		'a journal',
		[
			fc.oneof(
				hostileText,
				fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
			),
		],
		journalOf,
		40,
	),
	target(
		'a journal of whole lines',
		[fc.array(fc.oneof(hostileValue, hostileEntry), { maxLength: 8 })],
		(lines) => journalOf(lines.map((line) => wholeLine(JSON.stringify(line))).join('')),
		40,
	),
	target('a checkpoint file', [hostileText], checkpointOf, 20),
];

/** A line of a journal whose checksum is right, whatever it says. */
const wholeLine = (json: string): string => `${crc32(json, 1).toString(16).padStart(8, '0')} ${json}\n`;

/**
 * An arbitrary journal file is opened, or refused with its name; whatever is recorded afterwards is present after the
 * next start.
 */
async function journalOf(content: string): Promise<void> {
	await inFolder(async (file) => {
		await writeFile(file, content);
		const journal = fileJournal(file);
		const before = await journal.open();
		for (const { key } of before) assert.equal(typeof key, 'string');
		const account = { address: 'http://127.0.0.1/v1', key: 'digest' };
		await journal.record({ key: 'k', operation: 'order.create', fields: { quantity: '1' }, at: 1_000, account });
		await journal.close('none', 'accepted', account);
		const after = await fileJournal(file).open();
		assert(
			after.some(({ key }) => key === 'k'),
			'what was recorded is gone',
		);
	});
}

async function checkpointOf(content: string): Promise<void> {
	await inFolder(async (file) => {
		await writeFile(file, content);
		const said: string[] = [];
		const store = checkpointFile(file, (problem) => said.push(problem));
		const loaded = await store.load().catch((error: unknown) => assert(isCheckpointLost(error), 'not told as lost'));
		if (loaded !== undefined) assert.deepEqual(said, []);
		await store.save({ kept: 1 });
		assert.equal(((await store.load()) as { kept?: unknown }).kept, 1);
		assert.match(await readFile(file, 'utf8'), /kept/);
	});
}

async function inFolder(use: (file: string) => Promise<void>): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'fuzz-'));
	try {
		await use(join(folder, 'file'));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
