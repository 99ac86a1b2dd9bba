/** The tests that need no n8n of their own, one after the other in one that is started once. */
import './agents';
import './examples';
import './jobs';
import './nodes';
import './orders';
import './settling';
import './waiting';
import './watching';
