/** The proxies that the environment names, checked before a request depends on them. */
import type { Environment, VariableName } from "./environment.ts";
import { fail } from "./errors.ts";
import type { Setting } from "./precedence.ts";
import { redactCredentials } from "./settings.ts";

export interface Proxies {
  readonly httpProxy: Setting<string> | null;
  readonly httpsProxy: Setting<string> | null;
  readonly noProxy: Setting<string> | null;
}

export const NO_PROXIES: Proxies = { httpProxy: null, httpsProxy: null, noProxy: null };

/** Of each the small name before the large one, as everywhere. Throws `config` for what is no proxy's address. */
export function readProxies(env: Environment): Proxies {
  return {
    httpProxy: readProxy(env, "http_proxy", "HTTP_PROXY"),
    httpsProxy: readProxy(env, "https_proxy", "HTTPS_PROXY"),
    noProxy: readVariable(env, "no_proxy", "NO_PROXY"),
  };
}

function readVariable(env: Environment, small: VariableName, large: VariableName): Setting<string> | null {
  const source = env[small] === undefined ? large : small;
  const value = env[source];
  return value ? { value, source } : null;
}

function readProxy(env: Environment, small: VariableName, large: VariableName): Setting<string> | null {
  const named = readVariable(env, small, large);
  if (!named) return null;
  const { protocol } = URL.canParse(named.value) ? new URL(named.value) : { protocol: "" };
  if (protocol === "http:" || protocol === "https:") return named;
  throw fail("config", {
    message: `${named.source} ${JSON.stringify(redactCredentials(named.value))} is not a proxy's address`,
    hint: `Write it as http://proxy.example.com:3128, or unset ${named.source}.`,
  });
}
