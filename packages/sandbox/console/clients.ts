import { byId, element, setText } from './dom';
import { rows } from './rows';
import type { ClientRecord, TopicPosition } from './state';
import { timeOfDay } from './time';

export function clientsPanel(): (clients: readonly ClientRecord[]) => void {
	const show = rows<ClientRecord>(byId('clients'), {
		key: (client) => String(client.id),
		create: (first) => {
			const head = element('p', { class: 'line' });
			const topics = element('ul', { class: 'topics' });
			const showTopics = rows<TopicPosition>(topics, {
				key: ({ topic }) => topic,
				create: () => topicRow(),
				empty: () => element('li', { class: 'quiet' }, 'No topic yet'),
			});
			const who = element('strong', {}, first.console ? 'Console page' : (first.email ?? 'Without a key'));
			const since = element('span', { class: 'quiet number' });
			head.append(who, since);
			const update = (client: ClientRecord) => {
				const waiting = client.buffered_bytes ? `, ${client.buffered_bytes} bytes waiting` : '';
				setText(since, `since ${timeOfDay(client.connected_at)}${waiting}`);
				showTopics(client.topics);
			};
			return { node: element('li', {}, head, topics), update };
		},
		empty: () => element('li', { class: 'empty' }, 'Nobody is connected to the stream.'),
	});
	return (clients) => {
		setText(byId('clients-count'), clients.length ? String(clients.length) : '');
		show(clients);
	};
}

function topicRow() {
	const [name, position] = [element('code'), element('span', { class: 'number quiet' })];
	const update = ({ topic, seq, lag }: TopicPosition) => {
		setText(name, topic);
		setText(position, seq === null ? '' : lag > 0 ? `seq ${seq}, ${lag} behind` : `seq ${seq}`);
		position.classList.toggle('warn', lag > 0);
	};
	return { node: element('li', { class: 'line' }, name, position), update };
}
