import { execFileSync } from 'node:child_process';
import { nodeOfNodeRed, versionOf } from '../../scripts/hosts/versions';
import { openCommonBench } from './common-bench';
import { forAll } from '../support/opened';

/** Conditions without which the runs on other versions would prove nothing. */
describe('the Node-RED of these tests', () => {
	const bench = forAll(() => openCommonBench());

	it('tests run on the requested versions of Node-RED and Node, which load our nodes without a warning', () => {
		const node = execFileSync(nodeOfNodeRed(), ['--version'], { encoding: 'utf8' }).trim();
		const log = bench.nodeRed.log();
		expect(log).toMatch(new RegExp(`Node-RED version: v${versionOf('nodeRed')}\\b`));
		expect(log).toMatch(new RegExp(`Node\\.js  version: ${node}\\b`));
		expect(log).not.toMatch(/\[(warn|error)\] .*partner-exchange/);
	});
});
