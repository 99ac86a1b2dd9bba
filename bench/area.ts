/** What one part of the product is measured at, and beside whom. */
export interface Area {
	title: string;
	/** What every contestant does, and what the numbers leave out. */
	about: string;
	/** What one of the counted things is called. */
	unit: string;
	/** Which ratio is judged: processor time, which others on the machine do not take away, or time on the clock. */
	judged: 'cpu' | 'time';
	/** How many things a contestant handles, in a run and in a test. */
	size: number;
	smoke: number;
	/** The contestant that the others are compared with. */
	baseline: string;
	contestants: Readonly<Record<string, Contestant>>;
	targets?: readonly Target[];
	limits?: readonly Limit[];
	/** The quantity of which the contestants are steps. */
	curve?: string;
	/** The contestants cannot share a process, not even to show that they work. */
	isApart?: boolean;
	/** Runs in a process of its own while the contestants are measured; answers its address. */
	serve?(size: number): Promise<string>;
}

export interface Contestant {
	title: string;
	/** The package that has to be installed beside the bench. Without one the contestant is ours, or comes with a package of ours. */
	peer?: string;
	/** The contestants it is compared with, where that is not the baseline of the area. */
	beside?: string;
	/** What the contestant does not do, or does besides. */
	note?: string;
	/** What a user calls it, where it is one of the few things that people feel. */
	felt?: string;
	/** Works through `size` things and says how it went. */
	run(size: number, address: string): Promise<Sample>;
}

/** One contestant against another: at least, or at most, so many times its speed. */
export interface Target {
	of: string;
	over: string;
	/** What is wanted, also where it is not reached: the page then says that the row falls short. */
	atLeast: number;
	/** What was promised, in words, where it is not a speed. */
	says?: string;
}

/** What one contestant may take at most for each thing, beyond what another takes: time, or memory that stays. */
export type Limit = { of: string; beyond?: string } & ({ ms: number } | { megabytes: number });

/** What one process measured. */
export interface Sample {
	items: number;
	cpuMs: number;
	ms: number;
	/** The most memory the process held. */
	megabytes: number;
	/** The time of one thing, on the clock. */
	latency?: { medianMs: number; mostMs: number };
}

/** Starts to measure; the returned function ends it after so many things. */
export function stopwatch(): (items: number) => Sample {
	const cpu = process.cpuUsage();
	const at = performance.now();
	return (items) => {
		const { user, system } = process.cpuUsage(cpu);
		const ms = performance.now() - at;
		return { items, cpuMs: (user + system) / 1e3, ms, megabytes: process.resourceUsage().maxRSS / 1024 };
	};
}

/** What was thrown, which is an error in all but name. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
