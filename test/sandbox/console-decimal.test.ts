import { compare, difference, grouped, runningTotals, shares } from '../../packages/sandbox/console/decimal';

describe('amounts on the console page', () => {
	it('adds thousands separators to an amount without making it a number', () => {
		expect(grouped('123456789012345678901234567890.10')).toBe('123,456,789,012,345,678,901,234,567,890.10');
		expect(grouped('-1234')).toBe('-1,234');
		expect(grouped('0.0012345')).toBe('0.0012345');
		expect(grouped('1e21')).toBe('1e21');
	});

	it('adds, subtracts and compares amounts exactly', () => {
		expect(runningTotals(['0.1', '0.20', '9007199254740993'])).toEqual(['0.10', '0.30', '9007199254740993.30']);
		expect(difference('1.5', '1.625')).toBe('-0.125');
		expect(['10', '9.99', '10.00'].sort(compare)).toEqual(['9.99', '10', '10.00']);
		expect(shares(['1', '3'], '3')).toEqual([33.3, 100]);
	});
});
