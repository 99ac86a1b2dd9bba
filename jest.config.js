/** One runner for everything: sources are read as they stand, hosts are tested as they are built. */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	// These need a complete n8n and have a script of their own: `npm run test:n8n`.
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/hosts/n8n/'],
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }] },
	moduleNameMapper: {
		'^@partner-exchange/core$': '<rootDir>/packages/core/src/index.ts',
		'^@partner-exchange/core/catalogue$': '<rootDir>/packages/core/src/catalogue/index.ts',
		'^@partner-exchange/core/node$': '<rootDir>/packages/core/src/node.ts',
		'^@partner-exchange/sandbox$': '<rootDir>/packages/sandbox/src/index.ts',
	},
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/packages/.*/dist'],
	maxWorkers: 2,
	// Waits have limits of their own, which name what did not come; this one ends what hangs on the slowest machine.
	testTimeout: 600_000,
};
