/** However often something changes, it is drawn once per frame. A clock that jumps an hour brings thousands of trades at once. */
export function oncePerFrame(draw: () => void): () => void {
	let asked = false;
	return () => {
		if (asked) return;
		asked = true;
		requestAnimationFrame(() => {
			asked = false;
			draw();
		});
	};
}
