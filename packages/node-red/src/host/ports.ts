import { nodePorts } from '@partner-exchange/core/node';

/** Network, clock and chance of plain Node, and how Node-RED opens a stream; both name it to the service. */
export const ports = nodePorts('node-red');
