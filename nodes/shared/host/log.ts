import { printable } from '@partner-exchange/core/adapters';
import type { INode, Logger } from 'n8n-workflow';

interface LoggingHost {
	getNode(): Pick<INode, 'name'>;
	getWorkflow?(): { id?: string };
	logger: Pick<Logger, 'warn'>;
}

/** The only place that writes to n8n's log. A line names its node, and may quote the service. */
export const log = (host: LoggingHost, text: string): void =>
	host.logger.warn(`${host.getNode().name}: ${printable(text)}`, { workflowId: host.getWorkflow?.().id });
