import { testOperations } from './operations';
import { n8nTarget } from './targets';

testOperations("the node on n8n's engine", n8nTarget);
