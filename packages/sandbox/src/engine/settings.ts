import type { Settings, StateView } from './state';

/** The settings with what running scenarios change about them, so that a scenario ends without a trace. */
export function settingsInForce({ settings, scenarios }: StateView): Readonly<Settings> {
	if (scenarios.length === 0) return settings;
	const inForce = Object.assign({ ...settings }, ...scenarios.map(({ effects }) => effects)) as Settings;
	// A scenario quiets the seeded market and never starts one.
	return settings.marketMaker === 'off' ? { ...inForce, marketMaker: 'off' } : inForce;
}
