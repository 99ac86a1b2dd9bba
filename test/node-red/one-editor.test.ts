/** The tests of the editor, one after the other in one Node-RED and one browser that are started once. */
import { stopCommon } from './common-bench';
import { closeBrowser } from './editor-page';
import './editor';
import './editor-languages';
import './every-form';
import './keyboard';

// Behind the imports, so that it comes after all that these tear down.
afterAll(async () => {
	await closeBrowser();
	await stopCommon();
});
