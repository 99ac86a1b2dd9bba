import type { Settings, StateView } from './state';

/**
 * The settings, overridden by those of running scenarios. Kept separate, so that a scenario that ends leaves nothing
 * behind.
 */
export function settingsInForce({ settings, scenarios }: StateView): Readonly<Settings> {
	if (scenarios.length === 0) return settings;
	const inForce = Object.assign({ ...settings }, ...scenarios.map(({ effects }) => effects)) as Settings;
	// A scenario may pause the seeded market but never starts it.
	return settings.marketMaker === 'off' ? { ...inForce, marketMaker: 'off' } : inForce;
}
