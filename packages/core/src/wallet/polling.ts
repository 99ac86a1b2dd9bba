/** What a wallet trigger asks for regularly, and what it remembers between two times. */
export { pollBalances, type BalanceEvent, type BalanceState, type Threshold } from './balances';
export {
	pollTransactions,
	type TransactionEvent,
	type TransactionFilters,
	type TransactionState,
} from './transactions';
