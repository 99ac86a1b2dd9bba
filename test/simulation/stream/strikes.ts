import type { Random } from '../support/random';
import type { VirtualTime } from '../support/time';
import { amendOne } from './amendments';
import { correctOne } from './corrections';
import type { Service } from './service';
import type { Weather } from './weather';

interface Striking {
	drawn: Weather;
	time: VirtualTime;
	chance: Random;
	service: Service;
	note(...parts: string[]): void;
}

/** Restarts and outages of the service. */
export function strike({ drawn, time, chance, service, note }: Striking): void {
	const { restartsEveryMs, healsAt, keepsConnections, outages, corrections, amendments } = drawn;
	const restart = (keeps: boolean): void => {
		note('the service restarts');
		service.restart();
		if (!keeps) service.hangUp();
	};
	const again = (averageMs: number): void => {
		if (time.now() > healsAt) return;
		restart(keepsConnections);
		time.after(chance.exponential(averageMs, averageMs * 3), () => again(averageMs));
	};
	if (restartsEveryMs !== undefined) time.after(restartsEveryMs, () => again(restartsEveryMs));
	for (const at of corrections)
		time.at(at, () => {
			service.exchange.catchUp();
			note('the service corrects', correctOne(service.exchange, chance, time.now()) ?? 'nothing');
		});
	for (const at of amendments)
		time.at(at, () => {
			service.exchange.catchUp();
			note(
				'the service amends',
				amendOne(service.exchange, chance.fork(`amendment at ${at}`), time.now()) ?? 'nothing',
			);
		});
	for (const { from, to, restarts } of outages) {
		time.at(from, () => {
			note('the service goes away');
			if (restarts) restart(false);
			else service.hangUp();
		});
		time.at(to, () => note('the service is back'));
	}
}
