import WebSocket from 'ws';
import { nodePorts } from '@partner-exchange/core/node';
import {
	BINARY,
	byOurs,
	byWs,
	CLOSE,
	frame,
	PART,
	PING,
	PONG,
	startRawServer,
	TEXT,
	type Speech,
} from '../support/raw-frames';
import { forAll } from '../support/opened';

const { openSocket: wsSocket } = nodePorts();

const MEBIBYTE = 1024 * 1024;
const server = forAll(() => startRawServer());
afterEach(() => jest.restoreAllMocks());

const text = (said: string) => frame(TEXT, said);
const going = frame(CLOSE, Buffer.from([0x03, 0xe9, ...Buffer.from('going')]));
const [ours, theirs] = [
	(speech: Speech) => server.heardBy(byOurs(), speech),
	(speech: Speech) => server.heardBy(byWs, speech),
];

/** The messages emitted by ws itself. */
function toldByWs(): () => unknown[] {
	const emit = jest.spyOn(WebSocket.prototype, 'emit');
	return () => emit.mock.calls.filter(([name]) => (name as string) === 'message').map(([, said]) => String(said));
}

describe('whole messages of text', () => {
	const mixed = Buffer.concat([
		...[text('{"a":1}'), frame(PING, 'one'), text(''), text('ü€😀'), text('x'.repeat(126)), frame(PONG, '')],
		...[frame(TEXT, 'long form', { lengthBytes: 2 }), frame(TEXT, 'longer form', { lengthBytes: 8 })],
		...[text('\u0000"'), frame(PING, 'two'), text('last'), going],
	]);
	const reports = ['{"a":1}', '', 'ü€😀', 'x'.repeat(126), 'long form', 'longer form', '\u0000"', 'last'];
	const heard = { texts: reports, code: 1001, answers: ['10 one', '10 two', '8 \u0003égoing'] };

	it('reads text messages without ws, in one packet or two, wherever they are cut', async () => {
		const byTheirs = toldByWs();
		for (let cut = 0; cut <= mixed.length; cut += 5)
			expect(await ours({ packets: [mixed.subarray(0, cut), mixed.subarray(cut)] })).toEqual(heard);
		expect(byTheirs()).toEqual([]);
		expect(await theirs({ packets: [mixed] })).toEqual(heard);
	});

	it('reads text messages without ws when they come with the end of the handshake, wherever it is cut', async () => {
		const byTheirs = toldByWs();
		const before = 'HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n';
		for (let cut = 0; cut <= 40; cut += 5) {
			const packets = [mixed.subarray(0, cut), mixed.subarray(cut)];
			expect(await ours({ packets, isWithHead: true, before })).toEqual(heard);
		}
		expect(byTheirs()).toEqual([]);
	});

	it('reads the longest allowed message without ws, and short ones after it', async () => {
		const byTheirs = toldByWs();
		const said = [65_535, 65_536, MEBIBYTE, 5, 200_000].map((length) => 'x'.repeat(length));
		expect((await ours({ packets: said.map(text) })).texts).toEqual(said);
		expect((await ours({ packets: [Buffer.concat(said.map(text))] })).texts).toEqual(said);
		expect(byTheirs()).toEqual([]);
	});
});

describe('anything else', () => {
	const cut = frame(TEXT, 'half', { length: 100 });
	const parts = [frame(TEXT, 'in ', { bits: 0 }), frame(PING, 'between'), frame(PART, 'parts')];
	const strange: [string, ...Buffer[]][] = [
		['a message in parts, with a ping between them', ...parts],
		['a part of nothing', frame(PART, 'part')],
		['text within a message in parts', frame(TEXT, 'in ', { bits: 0 }), text('another')],
		['what is binary', frame(BINARY, 'binary')],
		['what is masked', frame(TEXT, 'masked', { mask: [1, 2, 3, 4] })],
		['what is masked so that it looks long', frame(TEXT, '\0\0\0\u0003abc', { mask: [0, 0, 0, 0] })],
		['a ping that is masked', frame(PING, 'masked', { mask: [1, 2, 3, 4] })],
		['what says it is packed', frame(TEXT, 'packed', { bits: 0xc })],
		['a bit that means nothing', frame(TEXT, 'bit', { bits: 0x9 })],
		['an opcode that means nothing', frame(0x3, 'opcode')],
		['a ping in parts', frame(PING, 'part', { bits: 0 })],
		['a ping that is too long', frame(PING, 'x'.repeat(126))],
		['text that is no UTF-8', frame(TEXT, Buffer.from([0x22, 0xc3, 0x28, 0x22]))],
		['text that ends within a character', frame(TEXT, Buffer.from([0x22, 0xe2, 0x82]))],
		['text with half of a pair', frame(TEXT, Buffer.from([0xed, 0xa0, 0x80]))],
		['text with what stands for no UTF-8', text('said \ufffd itself')],
		['a message that is too long', text('x'.repeat(MEBIBYTE + 1))],
		['a length beyond all', frame(TEXT, '', { lengthBytes: 8, length: Number.MAX_SAFE_INTEGER })],
		['a close with a code', going],
		['a close without one', frame(CLOSE, '')],
		['a close with a code that is not allowed', frame(CLOSE, Buffer.from([0x00, 0x01]))],
		['an end within a message', cut],
	];

	it.each(strange)('leaves anything but whole text messages to ws, with all that follows: %s', async (_, ...frames) => {
		const packets = [text('first'), text('second'), ...frames, text('behind it'), frame(PING, 'after'), text('last')];
		const byTheirs = await theirs({ packets: [Buffer.concat(packets)] });
		expect(byTheirs.texts.slice(0, 2)).toEqual(['first', 'second']);
		expect(await ours({ packets: [Buffer.concat(packets)] })).toEqual(byTheirs);
		expect(await ours({ packets })).toEqual(byTheirs);
		expect(await ours({ packets: [Buffer.concat(packets)], isWithHead: true })).toEqual(byTheirs);
	});
});

describe('a socket of plain Node', () => {
	it('delivers nothing from a server that did not understand the request', async () => {
		const speech = { packets: [text('one'), text('two')], isWithHead: true, isProved: false };
		expect(await ours(speech)).toEqual(await theirs(speech));
		expect((await ours({ ...speech, isWithHead: false })).texts).toEqual([]);
	});

	/** A client of ours that acts on its socket after each delivery; ends when it is closed, or when it ends itself. */
	const clientThat =
		(act: (socket: ReturnType<typeof wsSocket>, texts: readonly string[], end: () => void) => void) => (url: string) =>
			new Promise<{ texts: string[] }>((resolve) => {
				const texts: string[] = [];
				const socket = wsSocket(url, {
					opened: () => undefined,
					messages: (heard) => {
						texts.push(...heard);
						act(socket, texts, () => resolve({ texts }));
					},
					closed: () => resolve({ texts: [...texts, 'closed'] }),
				});
			});

	it('leaves whoever takes messages a turn of the event loop after each 32 kB', async () => {
		const inTurns: number[] = [0];
		const client = clientThat((_, texts, end) => {
			// The first message of a turn waits for the end of it.
			if (inTurns.at(-1) === 0) setImmediate(() => inTurns.push(0));
			inTurns[inTurns.length - 1] = texts.length - inTurns.slice(0, -1).reduce((sum, count) => sum + count, 0);
			if (texts.length === 10_000) end();
		});
		const packets = [Buffer.concat(Array.from({ length: 10_000 }, () => text('x'.repeat(252))))];
		await server.heardBy(client, { packets });
		expect(Math.max(...inTurns)).toBeLessThanOrEqual((2 * 32 * 1024) / 256);
	});

	it('delivers nothing more of a packet after it was terminated within', async () => {
		const client = clientThat((socket, _, end) => {
			socket.terminate();
			setImmediate(end);
		});
		const packets = [Buffer.concat([text('one'), text('two'), frame(PING, ''), text('three')])];
		expect((await server.heardBy(client, { packets })).texts).toEqual(['one', 'two']);
	});
});
