import * as ws from 'ws';

/** ws exports `Sender`, but its types lack it. */
const { Sender } = ws as unknown as { Sender: { frame(data: Buffer, options: FrameOptions): Buffer[] } };

interface FrameOptions {
	fin: boolean;
	opcode: number;
}

/** RFC 6455, part 11.8. */
const TEXT_OPCODE = 1;

/** Encodes a text message as one unmasked server frame. */
export const frameOf = (text: string): Buffer =>
	Buffer.concat(Sender.frame(Buffer.from(text), { fin: true, opcode: TEXT_OPCODE }));
