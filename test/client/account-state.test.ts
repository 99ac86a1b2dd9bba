import { createAccountStates } from '../../packages/core/src/client/account-state';
import { ACCOUNTS_MAX } from '../../packages/core/src/per-account';
import { nodePorts } from '@partner-exchange/core/node';

describe('what the clients of an account share in a process', () => {
	it('keeps the state of an account that is used while others come and go', () => {
		const stateOf = createAccountStates(nodePorts().clock);
		const first = stateOf('first');
		for (let other = 0; other < 3 * ACCOUNTS_MAX; other += 1) {
			stateOf(`other-${other}`);
			if (other % 100 === 0) expect(stateOf('first')).toBe(first);
		}
	});

	it('forgets the account that was used longest ago beyond ACCOUNTS_MAX', () => {
		const stateOf = createAccountStates(nodePorts().clock);
		const [first, second] = [stateOf('first'), stateOf('second')];
		for (let other = 0; other < ACCOUNTS_MAX - 1; other += 1) stateOf(`other-${other}`);
		expect(stateOf('second')).toBe(second);
		expect(stateOf('first')).not.toBe(first);
	});
});
