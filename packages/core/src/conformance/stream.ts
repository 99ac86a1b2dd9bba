import { mayMean, pairKey, resume, wildcard } from '../catalogue';
import { deadline } from '../ports';
import { jsonIn } from '../wire/json';
import { differs, holds, unclear, type Finding } from './finding';
import type { Service } from './probe';

/** Whether the stream resumes where a client left it, under the assumed name. Only public topics are subscribed. */
const WAIT_MS = 12_000;

interface Message {
	type?: string;
	topic?: string;
	seq?: number;
	epoch?: unknown;
}

export async function checkResume(service: Service): Promise<Finding> {
	const { pairId } = service.facts;
	if (!pairId) return unclear(resume.input, 'no pair to follow', 'Run the check again once there is one');
	const topics = [`orderbook.${pairKey(pairId)}`, `trades.${pairKey(pairId)}`];
	const seen = await firstAnswer(
		service,
		{ type: 'subscribe', topics },
		({ type, seq }) => type === 'data' && Number.isInteger(seq),
	);
	if (!seen) return unclear(resume.input, 'no event within 12 seconds', 'Run the check again while the market trades');
	const { topic = '', seq = 0, epoch } = seen;
	const request = { type: 'subscribe', topics: [topic], [resume.name]: { [topic]: { epoch, seq: seq - 1 } } };
	const again = await firstAnswer(service, request, (message) => message.type === 'data' && message.topic === topic);
	if (!again) return unclear(resume.input, 'no event after resuming', 'Run the check again while the market trades');
	if (again.seq === seq) return holds(resume.input, 'what was missed came again');
	return differs(
		resume.input,
		`asked from ${seq - 1}, got ${again.seq}`,
		'Nothing is lost, because REST is read after every connection. Ask the provider for the field that resumes',
	);
}

/** Whether one subscription brings a topic of all pairs, under the assumed pattern. */
export async function checkWildcard(service: Service): Promise<Finding> {
	const topics = [`trades.${wildcard.name}`, `orderbook.${wildcard.name}`];
	const means = (topic = '') => topics.some((other) => mayMean(other, topic) && topic !== other);
	const first = await firstAnswer(
		service,
		{ type: 'subscribe', topics },
		({ type, topic }) => type === 'error' || (type === 'data' && means(topic)),
	);
	if (!first)
		return unclear(wildcard.input, 'no event within 12 seconds', 'Run the check again while the market trades');
	if (first.type === 'data') return holds(wildcard.input, `${topics.join(', ')} brought ${first.topic}`);
	return differs(
		wildcard.input,
		`${topics.join(', ')} is refused`,
		'Ask the provider how a topic of all pairs is written, and type it instead of a pair',
	);
}

/** The first message that fits, or undefined where none came in time. */
async function firstAnswer(
	{ account, ports, openSocket }: Service,
	message: object,
	fits: (message: Message) => boolean,
): Promise<Message | undefined> {
	const end = deadline(ports.clock, WAIT_MS);
	let terminate: () => void = () => undefined;
	const answer = new Promise<Message | undefined>((resolve) => {
		const socket = openSocket(account.wsUrl, {
			opened: () => socket.send(JSON.stringify(message)),
			messages(texts) {
				const message = texts.map((text) => (jsonIn(text) ?? {}) as Message).find(fits);
				if (message) resolve(message);
			},
			closed: () => resolve(undefined),
		});
		terminate = () => socket.terminate();
	});
	const first = await Promise.race([answer, end.reached.catch(() => undefined)]);
	end.clear();
	terminate();
	return first;
}
