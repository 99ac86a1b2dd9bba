/** Types of Node-RED that the nodes share. */
import type { Node, NodeDef, NodeMessage, NodeMessageInFlow } from 'node-red';

export type Message = NodeMessageInFlow;
export type Outgoing = NodeMessage | (NodeMessage | NodeMessage[] | null)[];
export type Send = (message: Outgoing) => void;
export type Done = (error?: Error) => void;

/** The deployed properties of a node by name, and the flow in which Node-RED keeps them as they are written. */
export type Settings = NodeDef &
	Readonly<Record<string, unknown>> & {
		_flow?: { flow: Partial<Record<'nodes' | 'configs', Record<string, object>>> };
	};

export type Status = { fill: 'red' | 'green' | 'yellow' | 'blue' | 'grey'; shape: 'dot' | 'ring'; text: string };
export type { Node };
