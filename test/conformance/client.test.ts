import { testOperations } from './operations';
import { clientTarget } from './targets';

testOperations('the client over axios', clientTarget);
