/** One stage for cases that follow each other and want equal ones: RabbitMQ and n8n take long to start. */
import { QUICK } from './parties';
import { openStage, type Stage, type StageOptions } from './stage';

/** Plays one case; `deliveries` counts the fills that the reader counted as taken since the case began. */
type Plays = (stage: Stage, deliveries: () => number) => Promise<void>;

export interface SharedStage {
	/** Plays on the stage of the case before if that was an equal one and ended well, otherwise on a new one. */
	on: (options: Omit<StageOptions, 'pace'>, plays: Plays) => Promise<void>;
	close: () => Promise<void>;
}

export function shareStage(): SharedStage {
	let stage: Stage | undefined;
	let openedFor = '';
	const earlier = new Set<string>();
	const close = async (): Promise<void> => await stage?.close();
	return {
		on: async (options, plays) => {
			const wanted = JSON.stringify({ ...options, broker: options.broker.name });
			if (stage && openedFor === wanted) {
				for (const key of stage.reader.taken()) earlier.add(key);
				for (const party of [stage.reader, stage.consumer]) party.forget();
			} else {
				await close();
				stage = await openStage({ ...options, pace: QUICK });
				earlier.clear();
			}
			openedFor = '';
			const { reader } = stage;
			await plays(stage, () => new Set(reader.taken().filter((key) => !earlier.has(key))).size);
			openedFor = wanted;
		},
		close,
	};
}
