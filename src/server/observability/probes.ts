/** The endpoints that machines poll every few seconds. */
const PROBES = new Set(["healthz", "readyz", "metrics"]);

/** Whether an endpoint is asked by machines every few seconds: what drowns all else where it is told each time. */
export function isProbe(endpoint: string): boolean {
  return PROBES.has(endpoint);
}
