/** Runs before the first paint, so that a remembered theme never flashes; the button is wired once the page is there. */
const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const storageKey = 'sandbox-theme';

function remembered(): Theme {
	try {
		return themes.find((theme) => theme === localStorage.getItem(storageKey)) ?? 'auto';
	} catch {
		// A browser may forbid storage; the page then follows the system.
		return 'auto';
	}
}

function remember(theme: Theme): void {
	try {
		localStorage.setItem(storageKey, theme);
	} catch {
		// Forgetting the choice at the next visit is the only loss.
	}
}

function apply(theme: Theme): void {
	document.documentElement.dataset.theme = theme;
	const button = document.getElementById('theme');
	if (button) button.textContent = `Theme: ${theme}`;
	document.dispatchEvent(new Event('themechange'));
}

apply(remembered());
document.addEventListener('DOMContentLoaded', () => {
	let current = remembered();
	apply(current);
	document.getElementById('theme')?.addEventListener('click', () => {
		current = themes[(themes.indexOf(current) + 1) % themes.length] ?? 'auto';
		remember(current);
		apply(current);
	});
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => apply(current));
});
