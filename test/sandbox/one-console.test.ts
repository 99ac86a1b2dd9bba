/** The tests of the console page, one after the other in one browser. */
import { closeBrowser } from '../support/console-page';
import './console';
import './console-controls';
import './console-seeded';

// Behind the imports, so that it comes after all that these tear down.
afterAll(closeBrowser);
