import { acceptAccount, type Account } from '../account';
import { operationIds } from '../catalogue';
import { ExchangeError } from '../errors';
import { printable } from '../printable';
import type { OpenSocket, Ports, SendHttp } from '../ports';
import { secretHider, socketWithoutEcho, withoutEcho } from '../wire/echo';
import { checkAnswer } from './answers';
import type { Finding } from './finding';
import { checkInputs } from './inputs';
import { openService } from './probe';
import { checkResume, checkWildcard } from './stream';
import { beginWrites, type WriteOptions } from './writes';

/** Tries every assumption of the client against a service, and says of each what became of it. It reads unless told to write. */
export async function checkService(
	candidate: Account,
	ports: Ports & { openSocket: OpenSocket },
	options: WriteOptions = { write: false },
): Promise<Finding[]> {
	const account = acceptAccount(candidate);
	if (options.write && account.environment === 'production')
		throw new ExchangeError('not_available', {
			what: 'The check does not write in production',
			advice: 'Leave --write out, or use an account of the sandbox or staging environment; nothing was sent',
		});
	const hide = secretHider(account);
	const send: SendHttp = async (request) => withoutEcho(await ports.send(request), hide);
	const service = await openService(account, { ...ports, send }, socketWithoutEcho(ports.openSocket, account.apiKey));
	// Reads need records to tell from, so the writes come first.
	const writes = await beginWrites(service, options);
	await service.learn();
	const findings: Finding[] = [];
	for (const id of operationIds) {
		for (const finding of await checkInputs(service, id)) findings.push(finding);
		const answer = await checkAnswer(service, id);
		if (answer) findings.push(answer);
	}
	const last = [...(await writes.finish()), await checkResume(service), await checkWildcard(service)];
	return [...findings, ...last].map(printed);
}

/** A finding quotes the service, and is read at a terminal and in a report. */
const printed = ({ seen, todo, name, ...rest }: Finding): Finding => ({
	...rest,
	seen: printable(seen),
	todo: printable(todo),
	...(name === undefined ? {} : { name: printable(name) }),
});
