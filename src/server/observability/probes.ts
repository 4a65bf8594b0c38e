/** Health checks and metrics, which monitoring polls every few seconds. Logging each request would flood the log. */
const PROBES = new Set(["healthz", "readyz", "metrics"]);

export function isProbe(endpoint: string): boolean {
  return PROBES.has(endpoint);
}
