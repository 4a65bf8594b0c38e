/** Which Host a request may name: a page that points its own name at this machine must not read the service. */

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Whether the request's host, whatever its port, is a loopback name or one of those given: the one of its Host header,
 * and the one of its target where that names another.
 */
export function isAllowedHost(request: Request, hostNames: readonly string[]): boolean {
  const target = parseHost(request.url);
  const host = request.headers.get("host") ?? target;
  const isAllowed = (one: string) => isAllowedName(one.replace(/:\d*$/, ""), hostNames);
  return isAllowed(host) && (target === host || isAllowed(target));
}

/** Whether a host's name, without its port, is a loopback one or one of those given. */
export function isAllowedName(host: string, hostNames: readonly string[]): boolean {
  const name = host.toLowerCase();
  return (
    LOOPBACK.has(name) ||
    /^127(\.\d{1,3}){3}$/.test(name) ||
    hostNames.some((known) => known.toLowerCase() === name)
  );
}

function parseHost(url: string): string {
  const start = url.indexOf("//") + 2;
  const end = url.indexOf("/", start);
  return url.slice(start, end < 0 ? url.length : end);
}
