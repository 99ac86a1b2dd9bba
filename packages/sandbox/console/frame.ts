/** However often something changes, it is drawn once per frame. A clock that jumps an hour brings thousands of trades at once. */
export function oncePerFrame(draw: () => void): () => void {
	let requested = false;
	return () => {
		if (requested) return;
		requested = true;
		requestAnimationFrame(() => {
			requested = false;
			draw();
		});
	};
}
