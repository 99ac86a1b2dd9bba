/** Processes that want the same lock at once, each a real process of its own. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { newFolder } from '../support/folder';
import { fileLock } from '../../packages/core/src/node/file-lock';

const RACES = 160;
const CONTENDERS = 4;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** Takes the lock at each path it is told, and answers whether it holds it; ends in order when its parent disconnects. */
const CONTENDER = `
	const [number] = process.argv.slice(2).map(Number);
	if (number) Object.defineProperty(process, 'pid', { value: number });
	const { fileLock } = require(${JSON.stringify(join(__dirname, '../../packages/core/dist/node/file-lock.js'))});
	const locks = {};
	process.on('message', async (path) => process.send(await (locks[path] ??= fileLock(path)).hold()));
`;

describe('a file lock', () => {
	let folder: string;
	let contenders: ChildProcess[];
	const others: ChildProcess[] = [];
	beforeAll(async () => {
		folder = newFolder();
		await writeFile(join(folder, 'contender.js'), CONTENDER);
		contenders = Array.from({ length: CONTENDERS }, () => fork(join(folder, 'contender.js')));
		await Promise.all(contenders.map(async (child) => await once(child, 'spawn')));
	});
	afterAll(async () => {
		for (const child of [...contenders, ...others]) child.kill('SIGKILL');
	});

	const answers = async (path: string): Promise<boolean[]> =>
		await Promise.all(
			contenders.map(async (child) => {
				const answered = once(child, 'message') as Promise<[boolean]>;
				child.send(path);
				return (await answered)[0];
			}),
		);
	const dead = `${hostname()} 4194304`;

	it('takes a lock of a dead process over in one of several processes, however they race', async () => {
		const holders: number[] = [];
		for (let race = 0; race < RACES; race += 1) {
			const path = join(folder, `race-${race}.lock`);
			await writeFile(path, dead);
			holders.push((await answers(path)).filter((isHolder) => isHolder).length);
		}
		expect(holders.filter((count) => count !== 1)).toEqual([]);
	});

	it('takes a free lock at once in one of several processes', async () => {
		for (let race = 0; race < RACES; race += 1)
			expect((await answers(join(folder, `none-${race}.lock`))).filter((isHolder) => isHolder)).toEqual([true]);
	});

	it('releases a lock at an orderly end', async () => {
		const path = join(folder, 'ended.lock');
		const child = fork(join(folder, 'contender.js'));
		child.send(path);
		expect(await once(child, 'message')).toEqual([true, undefined]);
		child.disconnect();
		await once(child, 'exit');
		const [name] = (await readdir(folder)).filter((name) => name.startsWith('ended.lock'));
		expect((await stat(join(folder, name!))).mtimeMs).toBe(0);
	});

	it.each([
		['a program that got the number of its dead holder', () => `${hostname()} ${contenders[0]!.pid}`, MINUTE_MS],
		['a holder that was killed before it named itself', () => '', SECOND_MS],
	])('takes a lock over from %s', async (_, named, afterMs) => {
		const path = join(folder, `other-${afterMs}.lock`);
		await writeFile(`${path}.1`, named());
		const lock = fileLock(path);
		const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
		expect(await lock.hold()).toBe(false);
		clock.mockReturnValue(afterMs);
		expect(await lock.hold()).toBe(true);
		clock.mockRestore();
	});

	it('loses a lock that another process took over while the holder was suspended', async () => {
		const path = join(folder, 'suspended.lock');
		const suspended = fileLock(path);
		expect(await suspended.hold()).toBe(true);
		const [name] = (await readdir(folder)).filter((name) => name.startsWith('suspended.lock'));
		// As if all of them had looked at it for long.
		await utimes(join(folder, name!), 0, 0);
		expect(await answers(path)).toContain(true);
		expect(suspended.isHeld()).toBe(false);
		expect(await suspended.hold()).toBe(false);
	});

	it('gives a lock to one of two containers with one host name and one process number', async () => {
		const path = join(folder, 'containers.lock');
		const containers = [1, 2].map(() => fork(join(folder, 'contender.js'), ['1']));
		others.push(...containers);
		const isHeldBy = async (child: ChildProcess): Promise<boolean> => {
			const answered = once(child, 'message') as Promise<[boolean]>;
			child.send(path);
			return (await answered)[0];
		};
		const [first, second] = containers as [ChildProcess, ChildProcess];
		expect(await isHeldBy(first)).toBe(true);
		// The second container cannot be told from the first one started again.
		expect(await isHeldBy(second)).toBe(true);
		expect(await isHeldBy(first)).toBe(false);
		expect(await isHeldBy(second)).toBe(true);
	});
});
