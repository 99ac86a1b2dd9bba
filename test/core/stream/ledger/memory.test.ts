import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FINGERPRINT_LENGTH } from '../../../../packages/core/src/stream/ledger/fingerprint';
import { addKeys, type KeyLog } from '../../../../packages/core/src/stream/ledger/keys';
import { STORED_KEYS_MAX } from '../../../../packages/core/src/stream/limits';

const LOGS = 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapUsed(): number {
	collectGarbage();
	return process.memoryUsage().heapUsed;
}

const logOf = (log: number): KeyLog => {
	const keys: KeyLog = { chunks: [] };
	for (let key = 0; key < STORED_KEYS_MAX; key += 1) addKeys(keys, `${log}${key}`.padEnd(FINGERPRINT_LENGTH, '-'), key);
	return keys;
};

it('a stored key takes little more memory than its letters', () => {
	const before = heapUsed();
	const logs = Array.from({ length: LOGS }, (_, log) => logOf(log));
	const bytes = heapUsed() - before;
	expect(bytes / LOGS / STORED_KEYS_MAX).toBeLessThan(2 * FINGERPRINT_LENGTH);
	expect(logs).toHaveLength(LOGS);
});
