/**
 * The answer of a list operation. Await it for one page as the service answers it, with the filters and options
 * applied to that page; iterate it with `for await` for every item of all pages, each once. Nothing is sent before one
 * of the two.
 *
 * @example
 * for await (const order of client.order.list({ status: 'filled' })) console.log(order.id);
 */
export interface List<Row, Page> extends Promise<Page>, AsyncIterable<Row> {}

export function listOf<Row, Page>(page: () => Promise<Page>, items: () => AsyncIterable<Row>): List<Row, Page> {
	let asked: Promise<Page> | undefined;
	const once = (): Promise<Page> => (asked ??= page());
	return {
		then: (kept, broken) => once().then(kept, broken),
		catch: (broken) => once().catch(broken),
		finally: (done) => once().finally(done),
		[Symbol.toStringTag]: 'List',
		[Symbol.asyncIterator]: () => items()[Symbol.asyncIterator](),
	};
}
