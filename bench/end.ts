/** Ends the process with what it measures: a connection that stays open keeps it no longer, and an error is printed. */
export const endWith = (measuring: Promise<unknown>): void =>
	void measuring.then(
		() => process.exit(0),
		(error: unknown) => {
			process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
			process.exit(1);
		},
	);
