/** The commands of this repository and what they make: each builds, installs or starts several programs. */
module.exports = [
	'<rootDir>/test/hosts/{compose,demo,demo-folder,dev,install,n8n-install,npm,supply}.test.ts',
	'<rootDir>/test/{bench,guide,package}.test.ts',
	'<rootDir>/test/examples/core.test.ts',
	'<rootDir>/test/sandbox/{durability,packed}.test.ts',
	'<rootDir>/test/simulation/options.test.ts',
];
