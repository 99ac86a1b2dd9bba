export { nodePorts } from './node/ports';
export { systemClock } from './node/clock';
export { nodeHttp } from './node/http';
export { openAccount, type AccountOptions, type OpenedAccount } from './node/open';
export { fileCheckpoint } from './node/checkpoint-file';
export { fileJournal } from './node/journal';
export { replaceFile } from './node/replaced-file';
