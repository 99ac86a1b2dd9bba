import type { State, Step, Task } from './state';

const earlier = (a: Task, b: Task): boolean => a.at < b.at || (a.at === b.at && a.number < b.number);

/** Adds a task to the heap. */
export function schedule(state: State, at: number, step: Step): void {
	const { tasks } = state;
	const task: Task = { at, number: ++state.taskCount, step };
	let index = tasks.push(task) - 1;
	while (index > 0) {
		const parent = (index - 1) >>> 1;
		if (!earlier(task, tasks[parent] as Task)) break;
		tasks[index] = tasks[parent] as Task;
		index = parent;
	}
	tasks[index] = task;
}

/** Removes and returns the earliest task if it is due by `until`. */
export function takeDue(state: State, until: number): Task | undefined {
	const { tasks } = state;
	const first = tasks[0];
	if (!first || first.at > until) return undefined;
	const last = tasks.pop() as Task;
	if (tasks.length > 0) sink(tasks, last);
	return first;
}

function sink(tasks: Task[], task: Task): void {
	let index = 0;
	for (;;) {
		let child = 2 * index + 1;
		if (child >= tasks.length) break;
		if (child + 1 < tasks.length && earlier(tasks[child + 1] as Task, tasks[child] as Task)) child++;
		if (!earlier(tasks[child] as Task, task)) break;
		tasks[index] = tasks[child] as Task;
		index = child;
	}
	tasks[index] = task;
}

/** Removes matching tasks. */
export function unschedule(state: State, unwanted: (step: Step) => boolean): void {
	const wanted = state.tasks.filter((task) => !unwanted(task.step));
	state.tasks = wanted.sort((a, b) => (earlier(a, b) ? -1 : 1));
}
