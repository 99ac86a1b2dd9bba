import { fingerprint, FINGERPRINT_LENGTH } from '../../../../packages/core/src/stream/ledger/fingerprint';

describe('a fingerprint', () => {
	it.each<[string, (index: number) => string]>([
		['numbers in a row', (index) => `trade:${index}`],
		['long identifiers that differ in few letters', (index) => `fill:${index.toString(16).padStart(32, '0')}`],
		['few orders with many fills', (index) => `fill:${index % 1_000}|order-${Math.floor(index / 1_000)}|1500|10`],
		['copies', (index) => `fill:AbCdEfGh${index >> 4}#${index & 15}`],
	])('a fingerprint is different for each of many keys: %s', (_, keyOf) => {
		const prints = new Set(Array.from({ length: 200_000 }, (_row, index) => fingerprint(keyOf(index))));
		expect(prints.size).toBe(200_000);
	});

	it('a fingerprint has one length and letters that need no escape in JSON', () => {
		for (const text of ['', 'a', 'ü', '\u0000', 'x'.repeat(1_000)])
			expect(fingerprint(text)).toMatch(new RegExp(`^[\\w-]{${FINGERPRINT_LENGTH}}$`));
	});

	it('a fingerprint stays the same for ever, because checkpoints hold it', () => {
		expect([fingerprint('trade:1'), fingerprint('fill:7f9c'), fingerprint('')]).toMatchInlineSnapshot(`
		[
		  "S5pEBijek7",
		  "mmAZpXbi-A",
		  "Gu6NgSIvcu",
		]
	`);
	});
});
