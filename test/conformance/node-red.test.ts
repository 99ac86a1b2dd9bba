import { testOperations } from './operations';
import { nodeRedTarget } from './targets';

testOperations('the nodes in a real Node-RED', nodeRedTarget);
