/**
 * What the nodes do once they run, in one bundle, so that they share one set of WebSocket streams. A start of n8n reads
 * none of it: the build writes what each class tells of itself into a file of its own (build/n8n.mjs).
 */
export { credentialTest } from './shared/account/credential-test';
export { execute } from './shared/action/execute';
export { listSearch, loadOptions } from './shared/form/pickers';
export { poll } from './shared/trigger/poll';
export { trigger } from './shared/trigger/activation';
