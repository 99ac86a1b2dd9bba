import { itNoticesPlants } from '../support/lives';
import { streamSuite } from './suite';

/** Fewer than are run without a defect, so that false alarms among them are known. */
const SEEDS_MAX = 2_000;

describe('bugs planted into the stream', () => {
	itNoticesPlants('stream', streamSuite, SEEDS_MAX);
});
