/** What most worlds are made of: their times, when an event is late, and who listens. */
import { READ_EVERY_MS, READ_RETRY_MS, SILENCE_MS_MAX } from '../../../packages/core/src/stream/limits';
import { SIMULATION_BEGINS } from '../support/time';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const SETTLING_MS = 3 * SECOND;
export const REGULAR_MS = READ_EVERY_MS * 1.1;
export const at = (seconds: number): number => SIMULATION_BEGINS + seconds * SECOND;
export const usual = (): number => SILENCE_MS_MAX + READ_RETRY_MS.cap;
export const both = { topics: ['user.orders', 'user.fills'], batchMax: 10 };
export const fills = { topics: ['user.fills'], batchMax: 10 };
