/**
 * Files of nodes that are in no flow any more. Node-RED does not tell a deleted node from one whose tab is disabled, a
 * deletion may be undone, and other flows may be loaded for a while. So a file is marked when its node is missing, and
 * removed with its mark when the node was missing for a month.
 */
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeAPI } from 'node-red';
import { isJournalWanted } from './journal';
import { fileNameOf, folderOf } from './positions';

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const MARK = '.unused';

export function watchOrphanFiles(RED: NodeAPI, now: () => number = Date.now): void {
	RED.events.on('flows:started', ({ config }: { config?: { flows?: readonly { id: string }[] } }) => {
		const ids = config?.flows?.map(({ id }) => id);
		if (ids) removeOrphanFiles(folderOf(RED), ids, now());
	});
}

/** Done in one go, so that no node can begin to use a file between the look and the removal. */
export function removeOrphanFiles(folder: string, ids: readonly string[], now: number): void {
	try {
		const names = readdirSync(folder);
		const nodes = new Set(ids.map((id) => fileNameOf(id)));
		for (const name of names.filter((one) => /\.(json|journal)$/.test(one))) {
			const mark = join(folder, name + MARK);
			const isMarked = names.includes(name + MARK);
			if (isWanted(name, nodes, ids)) rmSync(mark, { force: true });
			else if (!isMarked) writeFileSync(mark, '');
			else if (now - statSync(mark).mtimeMs > KEPT_MS) for (const file of [join(folder, name), mark]) rmSync(file);
		}
	} catch {
		// There may be no folder yet, or one that cannot be written to. Files that stay do no harm.
	}
}

/** A node in a subflow is called after the instance it stands in, as in `instance-node`, and so is its file. */
function isWanted(name: string, nodes: ReadonlySet<string>, ids: readonly string[]): boolean {
	// Its lock and what was damaged of it stay as long as the journal.
	if (name.includes('.journal')) return isJournalWanted(name.replace(/\.journal.*$/, '.journal'), ids);
	const parts = name.replace(/\.json$/, '').split('-');
	return parts.some((_, index) => nodes.has(`${parts.slice(0, index + 1).join('-')}.json`));
}
