/** The tests of the editor, one after the other in one Node-RED and one browser that are started once. */
import { stopCommon } from './common-bench';
import { closeBrowser } from './editor-page';
import './demo-stored';
import './editor';
import './editor-checks';
import './editor-languages';
import './editor-status';
import './keyboard';
import './shown-fields';
import './small-window';

// Behind the imports, so that it comes after all that these tear down.
afterAll(async () => {
	await closeBrowser();
	await stopCommon();
});
