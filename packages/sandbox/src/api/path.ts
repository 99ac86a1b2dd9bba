import {
	routeOf,
	operationIds,
	operationOf,
	type OperationId,
	type Operations,
} from '@partner-exchange/core/catalogue';

/** The operations that travel over REST; the others are commands of the stream. */
export type RoutedOperationId = {
	[Id in OperationId]: Operations[Id] extends { run: { route: string } } ? Id : never;
}[OperationId];

interface Pattern {
	id: RoutedOperationId;
	method: string;
	segments: string[];
}

const patterns: Pattern[] = operationIds.flatMap((id) => {
	const route = routeOf(operationOf(id));
	if (!route) return [];
	const [method, path] = route.split(' ') as [string, string];
	return [{ id: id as RoutedOperationId, method, segments: path.split('/').slice(1) }];
});

export type Match = { id: RoutedOperationId; params: Record<string, string> } | { id: undefined; allowed: string[] };

/** Finds the operation of a path below `/v1`. An encoded slash stays inside its segment; a raw one does not. */
export function matchPath(method: string, path: string): Match {
	const parts = path.split('/').slice(1);
	const allowed: string[] = [];
	for (const pattern of patterns) {
		const params = bind(pattern.segments, parts);
		if (!params) continue;
		if (pattern.method === method) return { id: pattern.id, params };
		allowed.push(pattern.method);
	}
	return { id: undefined, allowed };
}

function bind(segments: string[], parts: string[]): Record<string, string> | undefined {
	if (segments.length !== parts.length) return undefined;
	const params: Record<string, string> = {};
	for (const [index, segment] of segments.entries()) {
		const part = parts[index] as string;
		if (!segment.startsWith('{')) {
			if (segment !== part) return undefined;
			continue;
		}
		const value = decode(part);
		if (!value) return undefined;
		params[segment.slice(1, -1)] = value;
	}
	return params;
}

function decode(part: string): string | undefined {
	try {
		return decodeURIComponent(part);
	} catch {
		return undefined;
	}
}
