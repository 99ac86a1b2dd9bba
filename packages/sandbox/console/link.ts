import { byId, setText } from './dom';

/** What is wrong with a way the page hears from the sandbox: nothing (null), not tried yet (''), or a sentence. */
type Trouble = string | null;

/** The page is live only when the state and the stream both arrive. */
export function linkStatus(): (way: 'state' | 'stream', trouble: Trouble) => void {
	const ways: Record<'state' | 'stream', Trouble> = { state: '', stream: '' };
	return (way, trouble) => {
		ways[way] = trouble;
		const reason = ways.state || ways.stream;
		const live = ways.state === null && ways.stream === null;
		const place = byId('link');
		place.dataset.state = live ? 'live' : reason ? 'lost' : 'waiting';
		setText(place, live ? 'Live' : reason ? 'Reconnecting' : 'Connecting');
		const message = byId('trouble');
		message.hidden = !reason;
		setText(message, reason ?? '');
	};
}
