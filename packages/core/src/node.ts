export { nodePorts, type NodePorts } from './node/ports';
export { systemClock } from './node/clock';
export { nodeHttp } from './node/http';
export { openAccount, type AccountOptions, type OpenedAccount } from './node/open';
export { wsSocket } from './node/socket';
export { fileJournal } from './node/journal';
