import type { Settings, StateView } from './state';

/** The settings with the changes of running scenarios on top, so that a scenario leaves nothing behind when it ends. */
export function settingsInForce({ settings, scenarios }: StateView): Readonly<Settings> {
	if (scenarios.length === 0) return settings;
	const inForce = Object.assign({ ...settings }, ...scenarios.map(({ effects }) => effects)) as Settings;
	// A scenario quiets the seeded market and never starts one.
	return settings.marketMaker === 'off' ? { ...inForce, marketMaker: 'off' } : inForce;
}
