import { testOperations } from './operations';
import { clientTarget } from './client-target';

testOperations('the client over axios', clientTarget);
