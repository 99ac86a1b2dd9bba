/** Asks again after each answer, more slowly while no answer comes, and not at all while nobody looks. */
const pauseMs = 1_500;
const pauseMsMax = 10_000;

export interface PollOptions<Answer> {
	ask: () => Promise<Answer>;
	show: (answer: Answer) => void;
	/** Called with the reason and the time until the next attempt. */
	failed: (reason: string, nextMs: number) => void;
}

/** Returns the function that asks at once, for use after an action of the person. */
export function poll<Answer>({ ask, show, failed }: PollOptions<Answer>): () => void {
	let timer: ReturnType<typeof setTimeout> | undefined;
	let failures = 0;
	let turn = 0;

	const again = (ms: number) => {
		clearTimeout(timer);
		timer = setTimeout(() => void run(), ms);
	};

	const run = async () => {
		clearTimeout(timer);
		if (document.hidden) return;
		const mine = ++turn;
		try {
			const answer = await ask();
			// A slower, older answer must not undo what a newer one showed.
			if (mine !== turn) return;
			failures = 0;
			show(answer);
			again(pauseMs);
		} catch (error) {
			if (mine !== turn) return;
			failures += 1;
			const nextMs = Math.min(pauseMs * 2 ** (failures - 1), pauseMsMax);
			failed(error instanceof Error ? error.message : String(error), nextMs);
			again(nextMs);
		}
	};

	document.addEventListener('visibilitychange', () => void run());
	void run();
	return () => void run();
}
