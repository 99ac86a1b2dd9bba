/** The tests of actions that need no Node-RED of their own, one after the other in one that is started once. */
import { stopCommon } from './common-bench';
// The first of all, because it reads the whole log.
import './versions';
import './actions';
import './alerts-broken-service';
import './empty-variables';
import './examples';
import './guards';
import './hostile-messages';
import './jobs';
import './limits';
import './order-placed-once';
import './sandbox-control';
import './wait-until-final';

// Behind the imports, so that it comes after all that these tear down.
afterAll(stopCommon);
