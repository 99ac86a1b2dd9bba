/** The action node in n8n's engine, whose modules take longer to load than most of these tests. */
import './credential';
import './environments';
import './items';
import './placed-once';
import './secrets';
import './tool-calls';
import { n8nTarget } from '../conformance/targets';
import { testOperations } from '../conformance/operations';

testOperations("the node on n8n's engine", n8nTarget);
