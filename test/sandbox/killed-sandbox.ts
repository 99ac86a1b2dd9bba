import { startSandbox } from '@partner-exchange/sandbox';

/** A sandbox in a separate process that a test kills. Prints its address once it accepts requests. */
async function main(file: string): Promise<void> {
	const { baseUrl } = await startSandbox({ marketMaker: false, data: file, requestsPerSecond: 1_000_000 });
	process.stdout.write(`${baseUrl}\n`);
}

void main(process.argv[2] as string);
