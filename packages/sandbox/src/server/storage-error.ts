const explanations: readonly [RegExp, string][] = [
	[/locked|busy/i, 'another sandbox is using it. Stop that one, or choose another file with --data'],
	[
		/not a database|malformed|corrupt|deserialize/i,
		'it is damaged or not a sandbox file. Move it away to start afresh, or choose another with --data',
	],
	[/unable to open|ENOENT/i, 'it cannot be opened. Check that its folder exists and may be written'],
	[
		/readonly|read-only|EROFS|EACCES|EPERM/i,
		'it may not be written. Give this user the right to write it and its folder, or choose another file with --data',
	],
	[/disk is full|ENOSPC|EDQUOT/i, 'the disk is full. Make room and start again; nothing that was answered is lost'],
	[/disk I\/O|EIO/i, 'the disk does not answer as it should. Copy the file to another disk and start again from there'],
];

const BEGIN_ANEW =
	'Put back a whole copy of it with the files beside it that begin with its name, or move them all away to begin anew';

/** Says what is wrong with the data file and how to recover. */
export class StorageError extends Error {
	/** `kept` is the path of the copy of the damaged file. */
	constructor(file: string, cause: Error, copy?: string) {
		// Without the file's name, which may hold any of these words.
		const said = cause.message.replaceAll(file, '');
		const explanation = explanations.find(([pattern]) => pattern.test(said));
		const why = explanation
			? explanation[1]
			: copy === undefined
				? cause.message
				: `it is damaged: ${cause.message}. ${BEGIN_ANEW}`;
		super(`The data file ${file} cannot be used: ${why}.${copy === undefined ? '' : ` A copy of it is in ${copy}.`}`);
		this.name = 'StorageError';
	}
}
