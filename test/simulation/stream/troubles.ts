import { READ_LAG_MS_MAX } from '../../../packages/core/src/stream/limits';
import type { Layer } from './layer';
import { plainLists } from './lists';
import { SECOND, MINUTE, at, usual } from './scene';
import { BOOK, TRADES } from './truth';
import { fair } from './weather';

/** Worlds of services in trouble, each of which one mechanism alone gets over. */

const trades = { topics: [TRADES], batchMax: 10 };

export const troubles = {
	/** The service restarts with all its trades while its lists lag: it only seems to count anew. */
	'restarts in a lag': {
		weather: (chance) => ({
			...fair,
			loss: 0.2,
			lagMs: READ_LAG_MS_MAX - SECOND,
			restartsEveryMs: chance.between(15, 30) * SECOND,
			keepsConnections: true,
			lists: { ...plainLists, pageMax: 10 },
			flood: { at: at(5), trades: 200 },
			healsAt: at(180),
		}),
		lateMs: usual,
		books: false,
		consumers: [trades],
		startsAfterMs: MINUTE,
	},
	/** A book is too large for the message that confirms its subscription. */
	'books too large': {
		weather: (chance) => ({ ...fair, endsBooks: true, loss: chance.pick([0, 0.1]), healsAt: at(90) }),
		lateMs: usual,
		books: true,
		consumers: [trades, { topics: [BOOK], batchMax: 1 }],
		startsAfterMs: 0,
	},
} satisfies { readonly [name: string]: Layer };
