/** The version of our packages; a test holds it to the manifests. */
const VERSION = '0.1.0';

export type Sender = 'script' | 'node-red';

/** Requests without a User-Agent are refused by common firewall rules. Inside n8n, n8n names itself. */
export const userAgentOf = (sender: Sender): string => `partner-exchange/${VERSION} (${sender})`;
