/** The tests of events and alerts, one after the other in one Node-RED, which is stopped and killed on the way. */
import { stopCommon } from './common-bench';
import './account-by-variable';
import './acknowledge-by-completion';
import './acknowledge-by-return';
import './alerts';
import './begins-again';
import './control';
import './damaged-checkpoint';
import './deploy-and-stop';
import './event-topics';
import './events';
import './notices';
import './patience';
import './rate-alerts';

// Behind the imports, so that it comes after all that these tear down.
afterAll(stopCommon);
