export { openBrowser, PAGE_TIMEOUT_MS } from '../../scripts/hosts/browser';
