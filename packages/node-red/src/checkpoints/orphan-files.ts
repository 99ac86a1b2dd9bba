/**
 * Removes files of deleted nodes. Node-RED does not distinguish a deleted node from one on a disabled tab, a deletion
 * may be undone, and other flows may be loaded for a while. So a file whose node is missing is marked, and removed when
 * the mark is a month old.
 */
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeAPI } from 'node-red';
import { isJournalWanted } from './journal';
import { fileNameOf, folderOf } from './checkpoints';

/** A file without its node is kept this long, because a deletion may be undone. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const MARK = '.unused';

export function watchOrphanFiles(RED: NodeAPI, now: () => number = Date.now): void {
	RED.events.on('flows:started', ({ config }: { config?: { flows?: readonly { id: string }[] } }) => {
		const ids = config?.flows?.map(({ id }) => id);
		if (ids) removeOrphanFiles(folderOf(RED), ids, now());
	});
}

/** Marks the files of missing nodes, and removes those marked a month ago. Synchronous, so that no node can start using a file between check and removal. */
export function removeOrphanFiles(folder: string, ids: readonly string[], now: number): void {
	try {
		const names = readdirSync(folder);
		const nodes = new Set(ids.map((id) => fileNameOf(id)));
		for (const name of names.filter((file) => /\.(json|journal)$/.test(file))) {
			const mark = join(folder, name + MARK);
			const isMarked = names.includes(name + MARK);
			if (isWanted(name, nodes, ids)) rmSync(mark, { force: true });
			else if (!isMarked) writeFileSync(mark, '');
			else if (now - statSync(mark).mtimeMs > KEPT_MS)
				for (const file of names.filter((file) => file === name || file.startsWith(`${name}.`)))
					rmSync(join(folder, file));
		}
	} catch {
		// The folder may not exist or not be writable. Files that stay are harmless.
	}
}

/** A node in a subflow, and its file, has the id of the subflow instance as a prefix: `instance-node`. */
function isWanted(name: string, nodes: ReadonlySet<string>, ids: readonly string[]): boolean {
	if (name.endsWith('.journal')) return isJournalWanted(name, ids);
	const parts = name.replace(/\.json$/, '').split('-');
	return parts.some((_, index) => nodes.has(`${parts.slice(0, index + 1).join('-')}.json`));
}
