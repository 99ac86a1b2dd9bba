import * as ws from 'ws';

/** Exported by ws, and missing in its types. */
const { Sender } = ws as unknown as { Sender: { frame(data: Buffer, options: FrameOptions): Buffer[] } };

interface FrameOptions {
	fin: boolean;
	opcode: number;
}

/** RFC 6455, part 11.8. */
const TEXT_OPCODE = 1;

/** A message as one frame of a server, which is not masked. */
export const frameOf = (text: string): Buffer =>
	Buffer.concat(Sender.frame(Buffer.from(text), { fin: true, opcode: TEXT_OPCODE }));
