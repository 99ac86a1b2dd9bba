/** The time at which a message was received whose number shows that an earlier one is missing. */
export interface Signs {
	heard(now: number, text: string): void;
	/** The first message after this event. */
	after(topic: string, at: number): number;
}

export function watchSigns(): Signs {
	const heard = new Map<string, { now: number; at: number }[]>();
	return {
		heard: (now, text) => {
			const [, topic, ts] = /^\{"type":"data","topic":"([^"]+)".*?"ts":"([^"]+)"/.exec(text) ?? [];
			if (topic && ts) heard.set(topic, [...(heard.get(topic) ?? []), { now, at: Date.parse(ts) }]);
		},
		after: (topic, time) => heard.get(topic)?.find(({ at }) => at > time)?.now ?? Number.POSITIVE_INFINITY,
	};
}
