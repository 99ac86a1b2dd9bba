const explanations: readonly [RegExp, string][] = [
	[/locked|busy/i, 'another sandbox is using it. Stop that one, or choose another file with --data'],
	[
		/not a database|malformed|corrupt|deserialize|incorrect|invalid|unexpected end/i,
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

/** Says what is wrong with the data file and how to recover. */
export class StorageError extends Error {
	constructor(file: string, cause: Error) {
		// Without the file's name, which may hold any of these words.
		const said = cause.message.replaceAll(file, '');
		const why = explanations.find(([pattern]) => pattern.test(said))?.[1] ?? cause.message;
		super(`The data file ${file} cannot be used: ${why}.`);
		this.name = 'StorageError';
	}
}
