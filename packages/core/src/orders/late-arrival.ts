import type { Ports } from '../ports';
import type { ServiceClock } from '../wire/remote-clock';
import { absenceMs, type Policy } from './machine/policy';

interface Clocks {
	ports: Pick<Ports, 'clock'>;
	service: ServiceClock;
}

/** The time of the service at a moment, in milliseconds since 1970; by our own clock where it does not date its answers. */
export const serviceTime = ({ ports: { clock }, service }: Clocks, elapsed: number): number =>
	service.at(elapsed) ?? clock.now() + elapsed - clock.elapsed();

/** From when on finding nothing proves that a request was not done, as a time for other processes. */
export const certainTime = (clocks: Clocks, policy: Policy, sentAt: number): string =>
	new Date(serviceTime(clocks, sentAt + absenceMs(policy))).toISOString();
