import type { Patch } from '../support/patched';
import type { LayerName } from './layers';

/** Switches off one mechanism of the stream in its source. */
export const cut = (
	file: string,
	find: string,
	replace: string,
	layer?: LayerName,
): { patch: Patch; layer?: LayerName } => ({
	patch: { file: `stream/${file}`, find, replace },
	layer,
});
