import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingFrom, type Lock } from '../scripts/lock';

const root = join(__dirname, '..');
const read = <Content>(file: string): Content => JSON.parse(readFileSync(join(root, file), 'utf8')) as Content;

describe('package-lock.json', () => {
	it('enters the optional packages of every platform, without which npm ci refuses it', () => {
		expect(missingFrom(read<Lock>('package-lock.json'))).toEqual([]);
	});

	it('notices one that is left out', () => {
		const packages = {
			'': {},
			'node_modules/a': { optionalDependencies: { 'a-linux-x64': '1.0.0', 'a-darwin-x64': '1.0.0' } },
		};
		const lock = { packages: { ...packages, 'node_modules/a-linux-x64': { version: '1.0.0' } } };
		expect(missingFrom(lock)).toEqual([{ name: 'a-darwin-x64', version: '1.0.0' }]);
	});

	it('names exact versions in package.json, so that a new release changes nothing by itself', () => {
		const { devDependencies } = read<{ devDependencies: Record<string, string> }>('package.json');
		expect(Object.values(devDependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
	});
});
