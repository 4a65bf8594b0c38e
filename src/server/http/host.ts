/** Checks the Host of requests. This prevents DNS rebinding: a web page whose host name resolves to this machine. */

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Whether the host of a request is a loopback name or one of `hostNames`, with any port. If the request target has
 * another host than the Host header, both must be allowed.
 */
export function isAllowedHost(request: Request, hostNames: readonly string[]): boolean {
  const target = parseHost(request.url);
  const host = request.headers.get("host") ?? target;
  const isAllowed = (hostAndPort: string) => isAllowedName(hostAndPort.replace(/:\d*$/, ""), hostNames);
  return isAllowed(host) && (target === host || isAllowed(target));
}

/** Whether a host name without port is a loopback name or one of `hostNames`. */
export function isAllowedName(host: string, hostNames: readonly string[]): boolean {
  const name = host.toLowerCase();
  return (
    LOOPBACK.has(name) ||
    /^127(\.\d{1,3}){3}$/.test(name) ||
    hostNames.some((hostName) => hostName.toLowerCase() === name)
  );
}

function parseHost(url: string): string {
  const start = url.indexOf("//") + 2;
  const end = url.indexOf("/", start);
  return url.slice(start, end < 0 ? url.length : end);
}
