/** Help of the account and of the two nodes that listen. Each line is one text to translate. */
export const eventsPage = `Sends a message for each event of the stream, such as a fill.

### Inputs

Only where the node takes control messages, or an event is taken when its message comes back.

: action (string) : Of a control message: \`start\`, \`stop\`, \`change\` or \`show\`.
: payload.topics (array) : With \`start\` and \`change\`: the topics to listen to from now on, such as \`user.fills\` or \`trades\`.
: payload.pairs (array) : With \`start\` and \`change\`: the pairs of the public topics, such as \`USD/NGN\`, or \`*\` for all, live only.
: event (object) : Of a message that comes back: as it was sent, or an array of several. The events in it count as taken; the message is not sent on.

### Outputs

1. events
: topic (string) : The exact topic, such as \`user.fills\` or \`trades.USD_NGN\`.
: payload (object) : What the service sent, untouched. An array when several events travel together.
: event (object) : \`seq\`, \`epoch\`, \`ts\`, \`delivery\` and \`eventKey\`. What was read from a list has no \`seq\`, \`epoch\` and \`ts\`; its times are in the payload. An array when several events travel together.

2. notices (when switched on)
: event (object) : \`kind\` is \`gap\` where events may be missing, and \`incomplete_fills\` where the fills of an order do not add up. Without this output, both come among the events.
: payload (object) : Of a gap: \`gap\`, \`pair\`, \`may_be_missing\` and \`done\`. Of incomplete fills: \`order_id\`, \`expected\`, \`counted\`, \`missing\`, \`fills_known\` and \`done\`. Otherwise \`kind\`, \`state\`, \`topic\` and \`text\`: changes of the connection, events that were fetched afterwards, a stored checkpoint that is lost (\`checkpoint_lost\`), and events that count as taken although the flow finished with none for an hour (\`handed_over\`).

3. answers to control messages (when switched on; always the last output)
: payload (object) : \`listening\`, \`topics\`, \`pairs\`, and in \`subscribed\` the exact topics. The rest of the control message is kept.

### Details

**Nothing is lost.** After a disconnect, a restart of the service, a deploy or a crash the node goes back to where it stood and fetches what it missed. \`msg.event.delivery\` says how an event came: \`live\`, \`replayed\` by the stream, or \`reconciled\` by reading the lists.

**Some things may come twice.** Around a deploy or a crash the last events are sent again, because nobody can know whether the flow finished with them. \`msg.event.eventKey\` is the same each time: where twice would hurt, remember the keys.

**When an event counts as taken.** Every node that got its message, or what it became, has finished with it, as a complete node would be told. Only then does the stored checkpoint move. What a deploy or a crash finds unfinished is sent again. A function node that goes on after it returned must call \`node.done()\`. A deploy that changes nothing this node is wired to repeats nothing.

**When its message comes back** is the other way, for flows that are slow or must not be overrun. The node has an input then: wire the last node of the flow back into it. At most 50 messages are under way before the oldest of them is back; the next ones wait. After a deploy of the flow, a restart or a crash, what did not come back is sent again. Every path must lead back, also of a message that is dropped or that failed: what never comes back holds up the rest. The status then says \`waiting for the flow\`, with how many are under way.

**Control messages** start and stop the node and change what it listens to. What a message does not name stays as it was; an unknown action, topic or pair is refused by name, and nothing changes. The choice holds over deploys and restarts, until topics or pairs are changed in the form, and the status says \`by message\` meanwhile. Each topic keeps its checkpoint: one that was taken away, or stopped, goes on where it stood when it comes back, where missed events are delivered.

**A slow flow** slows the stream down: events wait in a bounded queue, then the connection is paused, and what would be too much is fetched later.

Private topics need an account with a key. Public topics are read without one.

### References

- \`subscribe\`, \`resume\` and \`data\` of the stream`;

export const alertsPage = `Sends a message when what it watches changes, such as a balance that falls below a line.

### Outputs

: payload (object) : The transaction with \`change\` (\`new\` or \`status\`) and \`previous_status\`; or the balance, or the ticker of the pair, with \`crossing\`, \`value\`, \`previous_value\`, \`threshold\` and \`field\`. With a ticker comes \`pair_id\`, and its other field names are those of the service.
: event (object) : \`eventKey\`, the same for the same happening.

### Details

What it watches has no topic on the stream, so this node looks every so many seconds. The first look sends nothing: what is already there counts as old. What crosses a line and comes back between two looks is not seen.

A **balance** or a **rate** is reported once when it crosses the line, and again only after it came back by the margin, so that one that hovers around the line does not send messages all the time. A pair without such a price, as when nobody bids, crosses nothing.

What was seen is kept across restarts.

### References

- \`GET /partner/wallets/transactions\`
- \`GET /partner/wallets/balances/overview\`
- \`GET /partner/exchange/ticker/24h\``;

export const accountPage = `One environment of the exchange and the key that opens it. Nodes that name the same account share one client and one stream.

### Details

Each environment has its own addresses and its own key: make one account per environment. For the sandbox on this machine the addresses are filled in.

The address of the REST routes ends in \`/v1\`, the address of the stream in \`/v1/ws\`. Plain \`http://\` and \`ws://\` are accepted for this machine, and for a sandbox in your own network.

The key is kept in the encrypted credentials of Node-RED, never in the flow, so an exported flow does not hold it. Public lists, public topics and simulations use no key.

Every setting may be an environment variable, written as \`\${NAME}\` and nothing else. A variable that is not set is reported by the nodes and never sent.

The sandbox takes the key \`sandbox-key\`. For staging and production your provider gives you a key and both addresses.

Any other host than this machine counts as production, whatever the environment is called, until **Test hosts** names it. Nodes that change something act in production only where **Allow production** is set in their form.

**Orders per minute**, **Orders per day**, **Value per minute** and **Value per day** limit what the account places, whoever places it: a loop that runs wild stops by itself. \`none\` means no limit; an empty field is refused. The order list and the journal count, over a deploy and a restart. When the list cannot be read, an order under a limit is refused; cancels go through.

**Stop all orders** refuses everything but cancels once it is deployed. Nodes of the account then show \`orders stopped\`.

**Test connection** reads the balances with the settings of this form. A key that is already stored is only sent to the addresses it was deployed with; for others, enter it again.

**Wire names** overrides the names of inputs that the service does not document, such as \`{"order.list.limit":"page_size"}\`.

### Error codes

A Catch node finds one of these in \`msg.error.code\`, of whichever node. \`msg.error.cause\` has the field, the status, the advice and what else is known.`;
