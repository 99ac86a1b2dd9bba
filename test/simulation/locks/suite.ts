import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import { commonJs, patched } from '../support/patched';
import { random, type Random } from '../support/random';
import type { Report, Suite } from '../support/suite';
import { SIMULATION_BEGINS, virtualTime, type VirtualTime } from '../support/time';
import { trace } from '../support/trace';
import type { Folder } from './disk';
import { GLOBALS, start, type LockProgram, type Machine, type Program } from './machine';
import { plants } from './plants';

/** The lock of the journal as shipped: several processes of several machines on one disk. */
export const lockSuite: Suite = {
	plants,
	layers: [],
	run: (seed, { trace: traced = false, plant } = {}) => live(seed, traced, programOf(plant)),
};

const programs = new Map<string, LockProgram>();

/** The program of the lock, which is one file, with a planted defect if there is one. */
function programOf(plant = ''): LockProgram {
	const known = programs.get(plant);
	if (known) return known;
	const source = readFileSync('packages/core/src/node/file-lock.ts', 'utf8');
	const { patch } = plants[plant] ?? {};
	const text = commonJs(patch ? patched(plant, patch, source) : source);
	const program = compileFunction(text, [...GLOBALS]) as LockProgram;
	programs.set(plant, program);
	return program;
}

const SECOND = 1_000;
/** Beyond what a lock promises: it is free half a minute after its holder was heard of last. */
const FREE_AFTER_MS = 60 * SECOND;
/** How far the clock of a machine may be off, in seconds: nothing depends on it. */
const CLOCKS_APART = 3_600;
/** How long a hold takes on the slowest disk, and how often one that failed is tried again. */
const HOLD_MS_MAX = 30 * SECOND;
const TRIED_AGAIN_MS = 5 * SECOND;

interface Life {
	time: VirtualTime;
	chance: Random;
	machines: readonly Machine[];
	programs: Program[];
	begin(machine: Machine, pid: number): Program;
	note(...words: (string | number)[]): void;
	violate(text: string): void;
}

async function live(seed: number, traced: boolean, program: LockProgram): Promise<Report> {
	const chance = random(seed);
	const time = virtualTime();
	const log = trace(SIMULATION_BEGINS, traced);
	const violations = new Set<string>();
	const folder: Folder = new Map();
	const note: Life['note'] = (...words) => log.add(time.now(), ...words);
	const slowMs = chance.pick([1, 50, 500]);
	const hangs = drawHangs(chance.fork('hangs'));
	const world = { time, chance: chance.fork('disk'), folder, slowMs, program, note, hangsMs: hangs.atStep };
	const life: Life = {
		note,
		time,
		chance,
		machines: Array.from({ length: 1 + chance.below(2) }, (_, number) => ({
			name: `machine-${number}`,
			aheadMs: chance.happens(0.5) ? 0 : chance.between(-CLOCKS_APART, CLOCKS_APART) * SECOND,
			pids: new Map(),
		})),
		programs: [],
		begin: (machine, pid) => {
			const begun = start(world, machine, pid);
			life.programs.push(begun);
			life.note(begun.machine.name, pid, 'starts');
			contend(life, begun, chance.fork(`process ${life.programs.length}`));
			return begun;
		},
		violate: (text) => void violations.add(text),
	};
	await chaos(life);
	hangs.end();
	await end(life);
	return { violations: [...violations], hash: log.hash(), lines: log.lines() };
}

/** In some lives a process hangs where it hurts most: before it makes its file, or when it has just made it. */
function drawHangs(chance: Random): { atStep(step: string): number; end(): void } {
	const hangs: Readonly<Record<string, { rate: number; from: number; to: number }>> = chance.happens(0.6)
		? { readFile: { rate: 0.1, from: 60, to: 200 }, rm: { rate: 0.5, from: 31, to: 60 } }
		: {};
	let isOver = false;
	return {
		atStep: (step) => {
			const { rate, from, to } = hangs[step] ?? { rate: 0, from: 0, to: 0 };
			return !isOver && chance.happens(rate) ? chance.between(from, to) * SECOND : 0;
		},
		end: () => void (isOver = true),
	};
}

/** Asks for the lock before each order, and again after a refusal, as the journal does. */
function contend(life: Life, program: Program, chance: Random): void {
	let heldSince: number | undefined;
	const ask = (): void => {
		if (!program.lives()) return;
		const again = (): void => void life.time.after(chance.between(0.2, 5) * SECOND, ask);
		if (program.isSuspended()) return again();
		// A process that is suspended while it takes the lock holds one that looks abandoned.
		const isAwake = heldSince !== undefined && program.awakeSince() < heldSince - HOLD_MS_MAX;
		if (isAwake && !program.lock.isHeld()) life.violate(`process ${program.pid} lost the lock and was awake`);
		void program.lock.hold().then((holds) => {
			life.note(program.machine.name, program.pid, holds ? 'holds' : 'is refused');
			if (holds && !program.lock.isHeld()) life.violate(`process ${program.pid} was told that it holds what it lost`);
			heldSince = holds ? (heldSince ?? life.time.now()) : undefined;
			expectOneHolder(life);
			again();
		});
	};
	ask();
}

/** At every moment one process at most holds the lock; one that is suspended asks when it goes on. */
function expectOneHolder({ programs, violate, note }: Life): void {
	const holders = programs.filter((program) => program.lives() && program.lock.isHeld());
	if (holders.length < 2) return;
	note('two hold');
	violate(`${holders.length} processes hold the lock: ${holders.map(({ pid }) => pid).join(', ')}`);
}

const PIDS = [1, 17, 18, 19];
const EVENTS_MAX = 25;

/** Processes start, die, end and are suspended; numbers of dead ones are used again, by them and by other programs. */
async function chaos(life: Life): Promise<void> {
	const { time, chance, machines, programs, note } = life;
	for (let event = 0; event < EVENTS_MAX; event += 1) {
		const living = programs.filter((program) => program.lives());
		const machine = chance.pick(machines);
		const pid = chance.pick(PIDS);
		const program = living.length > 0 ? chance.pick(living) : undefined;
		const what = chance.pick(['start', 'start', 'kill', 'end', 'suspend', 'resume', 'another'] as const);
		note(what, program?.pid ?? '', pid);
		if (what === 'start' && !machine.pids.has(pid)) life.begin(machine, pid);
		if (what === 'another' && !machine.pids.has(pid)) machine.pids.set(pid, 'another program');
		if (what === 'kill') program?.kill();
		if (what === 'end' && !program?.isSuspended()) program?.end();
		if (what === 'suspend') program?.suspend();
		if (what === 'resume') for (const each of living) each.resume();
		expectOneHolder(life);
		await time.run(time.now() + chance.exponential(10 * SECOND, 60 * SECOND));
	}
	for (const program of programs) program.resume();
}

/** Whatever came before, one of those that live gets the lock; and the next one, when that one goes. */
async function end(life: Life): Promise<void> {
	const { time, chance, machines, programs, violate, note } = life;
	const [machine] = machines as [Machine];
	const free = (): number => PIDS.concat(97).find((pid) => !machine.pids.has(pid))!;
	life.begin(machine, free());
	await time.run(time.now() + FREE_AFTER_MS);
	const holder = programs.find((program) => program.lives() && program.lock.isHeld());
	if (!holder) return violate('nobody gets a lock whose holder is gone');
	for (const program of programs) if (program !== holder && program.lives()) program.kill();
	const way = chance.pick(['ends', 'dies', 'dies and its number is used again'] as const);
	note(holder.pid, way);
	if (way === 'ends') holder.end();
	else holder.kill();
	if (way !== 'dies') holder.machine.pids.set(holder.pid, 'another program');
	const next = life.begin(holder.machine, 98);
	await time.run(time.now() + (way.startsWith('dies and') ? FREE_AFTER_MS : HOLD_MS_MAX - TRIED_AGAIN_MS));
	if (!next.lock.isHeld()) violate(`the lock of a holder that ${way} is not free`);
}
