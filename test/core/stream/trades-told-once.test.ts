import type { Item } from '@partner-exchange/core';
import { printOf, printText } from '../../../packages/core/src/stream/log/keys';
import { checkpointOf } from './checkpoint-stage';
import { data, openStage, trade } from './stage';

const TRADES = 'trades.USD_NGN';

describe('a replay of public trades', () => {
	it('brings nothing that was read and taken before, though its keys are not stored any more', async () => {
		const numbers = Array.from({ length: 903 }, (_, index) => index + 1);
		const stage = openStage({ confirms: () => ({ positions: { [TRADES]: { epoch: 'e1', seq: 903 } } }) });
		stage.lists['market.trades'] = numbers.map(trade);
		// What waited for the host came by a read, behind the last message that was heard.
		const checkpoint = checkpointOf({ [TRADES]: { epoch: 'e1', seq: 1, settled: 900 } });
		const seen = stage.consume({ topics: [TRADES], checkpoint, batchMax: 100 });
		await seen.subscription.ready;
		for (const number of numbers.slice(1)) stage.sockets[0]!.say(data(TRADES, number, trade(number)));
		await stage.pass(120_000);
		expect(seen.keys().toSorted()).toEqual([901, 902, 903].map((number) => `trade:${trade(number).id as string}`));
	});
});

describe('a consumer that comes back beside another one', () => {
	it('gets the trades that the other one had taken before, of which the log has no entry', async () => {
		const stage = openStage();
		stage.lists['market.trades'] = [1, 2, 3, 4, 5, 6].map(trade);
		const keys = [3, 4, 5].map((number) => printText(printOf(`trade:trade-${number}`))).join('');
		const knows = (more: Item) => checkpointOf({ [TRADES]: { epoch: 'e1', seq: 1, settled: 2, ...more } });
		const first = stage.consume({ topics: [TRADES], checkpoint: knows({ keys }) });
		await first.subscription.ready;
		await stage.pass(10_000);
		const second = stage.consume({ topics: [TRADES], checkpoint: knows({}) });
		await stage.pass(120_000);
		expect(first.keys()).toEqual(['trade:trade-6']);
		expect(second.keys().toSorted()).toEqual([3, 4, 5, 6].map((number) => `trade:trade-${number}`));
	});
});
