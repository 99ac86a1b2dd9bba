import type { Handler } from './call';
import { marketRoutes } from './market-routes';
import { orderRoutes } from './order-routes';
import type { RoutedOperationId } from './path';
import { recipientRoutes } from './recipient-routes';
import { simulationRoutes } from './simulation-routes';
import { walletRoutes } from './wallet-routes';

/** One handler per REST operation of the interface; the compiler reports a missing one. */
export const routes: Record<RoutedOperationId, Handler> = {
	...orderRoutes,
	...marketRoutes,
	...walletRoutes,
	...recipientRoutes,
	...simulationRoutes,
};
