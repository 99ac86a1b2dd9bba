import type { Handler } from './call';
import { marketRoutes } from './market-routes';
import { orderRoutes } from './order-routes';
import type { RoutedOperationId } from './path';
import { recipientRoutes } from './recipient-routes';
import { simulationRoutes } from './simulation-routes';
import { walletRoutes } from './wallet-routes';

/** One handler per operation of the interface; a missing one does not compile. */
export const routes: Record<RoutedOperationId, Handler> = {
	...orderRoutes,
	...marketRoutes,
	...walletRoutes,
	...recipientRoutes,
	...simulationRoutes,
};
