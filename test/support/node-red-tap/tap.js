// Loaded by Node-RED as a node file: reports to the test what the flows do, without changing anything. Its one node
// throws on every message.
module.exports = (RED) => {
	RED.nodes.registerType('throwing', function (settings) {
		RED.nodes.createNode(this, settings);
		this.on('input', (_message, _send, _done) => {
			throw new Error('The node threw');
		});
	});
	if (!process.send) return;
	const withoutSockets = ({ req, res, ...message }) => message;
	/** A message may hold anything, and a hook that throws would stop it. */
	const post = (report, read) => {
		try {
			process.send({ ...report, ...read() });
		} catch (error) {
			process.send({ ...report, message: { uncloneable: String(error) } });
		}
	};
	RED.hooks.add('onSend.tap', (events) => {
		for (const { source, destination, msg } of events) {
			const wire = { from: source.id, port: source.port, to: destination.id };
			post({ kind: 'message', ...wire, at: Date.now() }, () => ({ message: withoutSockets(msg) }));
		}
	});
	RED.hooks.add('onComplete.tap', ({ node, msg, error }) => {
		const { message, code } = error ?? {};
		const outcome = error ? { error: { message: message ?? String(error), code } } : {};
		post({ kind: 'completion', node: node.id, ...outcome }, () => ({ mark: msg?.mark }));
	});
	RED.events.on('node-status', ({ id, status }) => process.send({ kind: 'status', node: id, ...status }));
};
