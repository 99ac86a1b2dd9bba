/** What the page shows, as `GET /_sandbox/state` tells it. Fields carry the wire's own names. */
export interface SandboxState {
	production: boolean;
	epoch: string;
	baseUrl: string;
	wsUrl: string;
	now: string;
	clock: 'real' | 'virtual';
	accounts: AccountRecord[];
	keys: KeyRecord[];
	clock_advance: { from: string; to: string } | null;
	settings: Record<string, string | number>;
	markets: { pair_id: string; trading: boolean }[];
	clients: ClientRecord[];
	faults: { kinds: Record<string, string>; armed: ArmedFault[] };
	scenarios: Scenario[];
	running_scenarios: RunningScenario[];
	recent_requests: RequestRecord[];
}

export interface KeyRecord {
	key: string;
	email: string;
	access: string[];
	environment: 'staging' | 'production';
	active: boolean;
}

export interface Balance {
	currency: string;
	available: string;
	locked: string;
	total: string;
}

interface CreditRecord {
	currency: string;
	available_credit: string;
	credit_limit: string;
	outstanding: string;
	next_due_at: string | null;
	overdue: boolean;
	withdrawal_blocked: boolean;
}

export interface AccountRecord {
	email: string;
	name: string;
	/** Only an approved account may act. */
	kyb: string;
	balances: Balance[];
	credit: CreditRecord;
	orders: OrderRecord[];
	transactions: TransactionRecord[];
	recipients: RecipientRecord[];
}

export interface OrderRecord {
	id: string;
	client_order_id: string;
	side: string;
	order_type: string;
	time_in_force: string;
	price: string | null;
	quantity: string;
	filled_quantity: string;
	avg_fill_price: string;
	pair_id: string;
	status: string;
	created_at: string;
	reject_reason: string | null;
	cancel_reason: string | null;
}

export interface TransactionRecord {
	id: string;
	type: string;
	rail: string;
	currency: string;
	amount: string;
	status: string;
	created_at: string;
}

export interface RecipientRecord {
	id: string;
	recipient_type: string;
	currency: string;
	label: string;
	bank_name: string | null;
	account_number: string | null;
	chain: string | null;
	crypto_address: string | null;
}

export interface ClientRecord {
	id: number;
	email: string | null;
	/** A page like this one. */
	console: boolean;
	connected_at: string;
	buffered_bytes: number;
	topics: TopicPosition[];
}

export interface TopicPosition {
	topic: string;
	/** The last event sent, and how many have happened since. A wildcard has no position of its own. */
	seq: number | null;
	lag: number;
}

export interface ArmedFault {
	id: number;
	kind: string;
	operation?: string;
	route?: string;
	topic?: string;
	apiKey?: string;
	idempotencyKey?: string;
	/** Matches it still lets pass. */
	after: number;
	/** How often it strikes, and how often it did. */
	times: number;
	fired: number;
}

export interface Scenario {
	name: string;
	label: string;
	help: string;
}

export interface RunningScenario {
	name: string;
	stage: number;
}

export interface RequestRecord {
	id: number;
	at: string;
	method: string;
	path: string;
	answer: number | 'waiting' | 'none';
	email: string | null;
	fault: string | null;
}

/** A request with its bodies and the fault that struck it. */
export interface WholeRequest extends Omit<RequestRecord, 'fault'> {
	headers: Record<string, string>;
	body: string;
	answerBody: string;
	fault: (ArmedFault & Record<string, unknown>) | null;
}

/** Interface, part 2: what the candle chart is drawn from. */
export interface Candle {
	open: string;
	high: string;
	low: string;
	close: string;
	volume: string;
	trade_count: number;
	timestamp: string;
}
