import { endWith } from './end';
import { run } from './n8n/kills';
import { orders } from './n8n/orders';
import { reads } from './n8n/reads';

const [what = '40', ...more] = process.argv.slice(2);

/**
 * Kills n8n again and again while fills arrive, and counts how often each was processed: `npm run bench:n8n -- 40`. Or
 * reads a thousand orders in a complete n8n, so many times: `npm run bench:n8n -- reads 5`. Or places orders one after
 * another and side by side: `npm run bench:n8n -- orders 5`.
 */
const asked: Record<string, (rounds: number) => Promise<void>> = { reads, orders };
endWith(asked[what]?.(Number(more[0] ?? 5)) ?? run(Number(what), more[0]));
