import { ExchangeError } from '@partner-exchange/core';
import { type PageLengths, withinPageLength } from '../../packages/core/src/wire/page-length';

type Answer = 'rows' | 'too many' | 'nothing';

/** Reads of one list whose service gives these responses in turn, and then at most this many rows. */
function openList({ most, answers = [] }: { most: number; answers?: Answer[] }) {
	const requests: number[] = [];
	const lengths: PageLengths = new Map();
	const answerTo = (limit: number): Answer => answers.shift() ?? (limit > most ? 'too many' : 'rows');
	const read = (wanted = 100): Promise<number | string> =>
		withinPageLength({ list: 'order.list', wanted, lengths }, async (limit) => {
			requests.push(limit);
			await Promise.resolve();
			const answer = answerTo(limit);
			if (answer === 'too many') throw new ExchangeError('refused', { what: 'Too many records requested' });
			if (answer === 'nothing') throw new ExchangeError('unreachable', { what: 'It does not answer' });
			return limit;
		}).catch(({ code }: ExchangeError) => code);
	return { read, requests: () => requests.splice(0), answers };
}

describe('how many rows a list gives at once', () => {
	it('searches the page length of a list once', async () => {
		const { read, requests } = openList({ most: 20 });
		expect([await read(), await read(), await read(7)]).toEqual([20, 20, 7]);
		expect(requests()).toEqual([100, 50, 20, 20, 7]);
	});

	it('continues the search for the page length after a failure', async () => {
		const { read, requests } = openList({ most: 10, answers: ['too many', 'too many', 'nothing'] });
		expect([await read(), await read(), await read()]).toEqual(['unreachable', 10, 10]);
		expect(requests()).toEqual([100, 50, 20, 20, 10, 10]);
	});

	it('begins the search again when every length was refused for another reason', async () => {
		const { read, requests, answers } = openList({ most: 100, answers: ['too many', 'nothing'] });
		expect(await read()).toBe('unreachable');
		answers.push('too many', 'too many', 'too many');
		expect([await read(), await read()]).toEqual(['refused', 100]);
		expect(requests()).toEqual([100, 50, 50, 20, 10, 100]);
	});

	it('keeps the page length when another request is refused', async () => {
		const { read, requests, answers } = openList({ most: 10 });
		expect(await read()).toBe(10);
		answers.push('too many');
		expect([await read(), await read()]).toEqual(['refused', 10]);
		expect(requests()).toEqual([100, 50, 20, 10, 10, 10]);
	});

	it('searches no page length when nothing was refused', async () => {
		const { read, requests } = openList({ most: 100, answers: ['nothing'] });
		expect([await read(), await read()]).toEqual(['unreachable', 100]);
		expect(requests()).toEqual([100, 100]);
	});

	it('searches no page length when a page of that length was answered before', async () => {
		const { read, requests, answers } = openList({ most: 100, answers: ['rows', 'too many'] });
		expect([await read(), await read(), await read()]).toEqual([100, 'refused', 100]);
		expect(requests()).toEqual([100, 100, 100]);
		expect(answers).toEqual([]);
	});

	it('searches the page length again when the service refuses what it allowed before', async () => {
		const { read, requests } = openList({ most: 20, answers: ['rows'] });
		expect([await read(), await read(), await read()]).toEqual([100, 'refused', 20]);
		expect(requests()).toEqual([100, 100, 100, 50, 20]);
	});
});
