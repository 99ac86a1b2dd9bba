/**
 * A stand-in for a chat model: sends scripted responses in the format of OpenAI's service, and records the requests.
 */
import { createServer } from 'node:http';
import { openPort } from './loopback';

export interface ToolCall {
	/** The tool's name as n8n gives it to the model. */
	tool: string;
	args: Record<string, unknown>;
}

/** The model's next response: tools to call at once, or the final answer, or an error of its service. */
type Turn = ToolCall[] | string | { status: number };

/** A turn, or a function that computes it from the tool results so far. */
type Saying = Turn | ((reports: string[]) => Turn);

interface ModelRequest {
	messages: { role: string; content: unknown; tool_call_id?: string }[];
	tools?: { function: { name: string; description: string; parameters: object } }[];
}

export interface ChatModel {
	/** The address for the credential of n8n's OpenAI node. */
	url: string;
	/** All requests, in order. */
	asked: ModelRequest[];
	/** Sets the model's next responses. */
	say: (...turns: Saying[]) => void;
	/** The results of all tool calls so far, in order. */
	told: () => string[];
	close: () => Promise<void>;
}

export async function startChatModel(): Promise<ChatModel> {
	const requests: ModelRequest[] = [];
	let script: Saying[] = [];
	let calls = 0;
	const next = (): Turn => {
		const saying = script.shift() ?? 'I have nothing more to say.';
		try {
			return typeof saying === 'function' ? saying(answersIn(requests.at(-1))) : saying;
		} catch {
			// A script error ends the run, and the test fails with it.
			return { status: 400 };
		}
	};
	const answer = (turn: Exclude<Turn, { status: number }>): object => {
		if (typeof turn === 'string') return completion({ role: 'assistant', content: turn }, 'stop');
		const toolCalls = turn.map(({ tool, args }) => {
			const id = `call_${(calls += 1)}`;
			return { id, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } };
		});
		return completion({ role: 'assistant', content: null, tool_calls: toolCalls }, 'tool_calls');
	};
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			requests.push(JSON.parse(Buffer.concat(chunks).toString()) as ModelRequest);
			const turn = next();
			const isRefused = typeof turn === 'object' && 'status' in turn;
			response.writeHead(isRefused ? turn.status : 200, { 'content-type': 'application/json' });
			response.end(JSON.stringify(isRefused ? { error: { message: 'Not today.' } } : answer(turn)));
		});
	});
	const port = await openPort(server);
	return {
		url: `http://127.0.0.1:${port}/v1`,
		asked: requests,
		say: (...turns) => {
			requests.length = 0;
			script = turns;
		},
		told: () => answersIn(requests.at(-1)),
		close: () => {
			server.closeAllConnections();
			return new Promise((closed) => server.close(() => closed()));
		},
	};
}

/** n8n sends the model one message per call, and all of them each time. */
const answersIn = (requested: ModelRequest | undefined): string[] =>
	(requested?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => textOf(content));

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content));

const completion = (message: object, reason: string): object => ({
	id: 'chatcmpl-stand-in',
	object: 'chat.completion',
	created: 1_750_000_000,
	model: 'stand-in',
	choices: [{ index: 0, message, finish_reason: reason }],
	usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
