// The two ends of a flow of the bench: one sends what the bench hands it, the other counts what arrives.
module.exports = (RED) => {
	RED.nodes.registerType('bench-sink', function (config) {
		RED.nodes.createNode(this, config);
		this.on('input', (message, _send, done) => {
			globalThis.benchSink(message);
			done();
		});
	});
	RED.nodes.registerType('bench-source', function (config) {
		RED.nodes.createNode(this, config);
		globalThis.benchInput((message) => this.send(message));
	});
};
