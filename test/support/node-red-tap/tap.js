// Loaded by Node-RED as a node file without node types: reports to the test what the flows do, without changing
// anything.
module.exports = (RED) => {
	if (!process.send) return;
	const withoutSockets = ({ req, res, ...message }) => message;
	const post = (report) => {
		try {
			process.send(report);
		} catch (error) {
			process.send({ ...report, message: { uncloneable: String(error) } });
		}
	};
	RED.hooks.add('onSend.tap', (events) => {
		for (const { source, destination, msg } of events) {
			const wire = { from: source.id, port: source.port, to: destination.id };
			post({ kind: 'message', ...wire, at: Date.now(), message: withoutSockets(msg) });
		}
	});
	RED.hooks.add('onComplete.tap', ({ node, msg, error }) => {
		const { message, code } = error ?? {};
		post({
			kind: 'completion',
			node: node.id,
			mark: msg?.mark,
			...(error ? { error: { message: message ?? String(error), code } } : {}),
		});
	});
	RED.events.on('node-status', ({ id, status }) => post({ kind: 'status', node: id, ...status }));
};
