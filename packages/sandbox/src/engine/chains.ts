import { invalid } from './refusal';

export interface Chain {
	code: string;
	name: string;
	assets: readonly string[];
	confirmations: number;
}

export const stablecoins = ['USDT', 'USDC'] as const;

export const chains: readonly Chain[] = [
	{ code: 'TRON', name: 'Tron', assets: ['USDT'], confirmations: 20 },
	{ code: 'ETHEREUM', name: 'Ethereum', assets: ['USDT', 'USDC'], confirmations: 12 },
	{ code: 'BSC', name: 'BNB Smart Chain', assets: ['USDT', 'USDC'], confirmations: 15 },
	{ code: 'POLYGON', name: 'Polygon', assets: ['USDT', 'USDC'], confirmations: 64 },
	{ code: 'SOLANA', name: 'Solana', assets: ['USDT', 'USDC'], confirmations: 32 },
	{ code: 'BASE', name: 'Base', assets: ['USDC'], confirmations: 10 },
];

export function chainFor(code: string, asset: string): Chain {
	if (!stablecoins.some((coin) => coin === asset))
		throw invalid('invalid_asset', `The stablecoin must be one of ${stablecoins.join(', ')}.`);
	const chain = chains.find((listed) => listed.code === code.toUpperCase());
	if (!chain) throw invalid('unknown_chain', 'chain is not a chain of GET /partner/wallets/chains.');
	if (!chain.assets.includes(asset))
		throw invalid('asset_not_on_chain', 'This stablecoin does not travel on this chain.');
	return chain;
}
