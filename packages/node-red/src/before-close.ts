/** Less than the 15 s after which Node-RED reports a node that has not closed. */
const CLOSE_MS_MAX = 8_000;

/**
 * Waits for what has to be done before a node is closed, such as a position that is being stored, but at most
 * CLOSE_MS_MAX. Never rejects.
 */
export async function beforeClose(work: Promise<unknown> | undefined): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS_MAX)));
	await Promise.race([work?.catch(() => undefined), late]);
	clearTimeout(timer);
}
