import { nodePorts } from '@partner-exchange/core/node';

/** Network, clock and chance of plain Node. */
export const ports = nodePorts();
