/** The tests that need no n8n of their own, one after the other in one that is started once, and killed at the end. */
// The first of all, while there is one credential, which n8n's form then chooses by itself.
import './keyboard';
import './agents';
import './examples';
import './jobs';
import './orders';
import './watching';
import './kills';
