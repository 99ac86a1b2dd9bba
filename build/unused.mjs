/** Parts of the libraries that nothing here uses, left out of what is bundled. What is put in their place does the least that loading needs. */

/** Each stands for one module; `why` says what it is for and why nothing here comes to it. */
export const unused = [
	{
		module: /^form-data$/,
		why: 'uploads of files, with the list of all file types; bodies are JSON text. Node has a FormData of its own',
		text: 'module.exports = globalThis.FormData;',
	},
	{
		module: /^\.\/xhr\.js$/,
		why: "axios' way through a browser",
		text: 'export default false;',
	},
	{
		module: /^\.\/fetch\.js$/,
		why: "axios' way through fetch; requests go through Node's http",
		text: 'export const getFetch = () => null; export default null;',
	},
	{
		module: /^follow-redirects$/,
		why: 'the way to another address, which would be given the key; none is followed',
		text: 'module.exports = {};',
	},
	{
		module: /^https-proxy-agent$/,
		why: "axios' tunnel; the way through a proxy is an agent of our own, which it is handed",
		text: 'module.exports = class {};',
	},
	{
		module: /^\.\/lib\/(websocket-server|stream)(\.js)?$/,
		why: "the server of ws, and its sockets as Node's streams; here sockets are only opened",
		text: 'module.exports = undefined;',
	},
];

const NAMESPACE = 'unused';

/** For esbuild. The libraries themselves stay as they are, and a new version of one that no longer has a part is bundled whole. */
export const withoutUnused = {
	name: NAMESPACE,
	setup(build) {
		for (const { module, text } of unused) {
			build.onResolve({ filter: module }, ({ path, importer }) =>
				/[\\/]node_modules[\\/](axios|ws)[\\/]/.test(importer)
					? { path, namespace: NAMESPACE, pluginData: text }
					: undefined,
			);
		}
		build.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ pluginData }) => ({ contents: pluginData, loader: 'js' }));
	},
};
