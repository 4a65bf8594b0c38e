/** The proxy settings from the environment, validated before any request is sent. */
import type { Environment } from "./environment.ts";
import { fail } from "./errors.ts";
import type { Setting } from "./precedence.ts";
import { redactUrl } from "./public-url.ts";

interface Proxies {
  readonly httpProxy: Setting<string> | null;
  readonly httpsProxy: Setting<string> | null;
  readonly noProxy: Setting<string> | null;
}

export const NO_PROXIES: Proxies = { httpProxy: null, httpsProxy: null, noProxy: null };

/** Lowercase names take precedence over uppercase ones, as in curl. Throws `config` for an invalid proxy URL. */
export function readProxies(env: Environment): Proxies {
  return {
    httpProxy: readProxy(env, "http_proxy"),
    httpsProxy: readProxy(env, "https_proxy"),
    noProxy: readVariable(env, "no_proxy"),
  };
}

type ProxyVariable = "http_proxy" | "https_proxy" | "no_proxy";

function readVariable(env: Environment, name: ProxyVariable): Setting<string> | null {
  const source = env[name] === undefined ? (name.toUpperCase() as Uppercase<ProxyVariable>) : name;
  const value = env[source];
  return value ? { value, source } : null;
}

function readProxy(env: Environment, name: ProxyVariable): Setting<string> | null {
  const proxy = readVariable(env, name);
  if (!proxy) return null;
  const { protocol } = URL.canParse(proxy.value) ? new URL(proxy.value) : { protocol: "" };
  if (protocol === "http:" || protocol === "https:") return proxy;
  throw fail("config", {
    message: `${proxy.source} ${JSON.stringify(redactUrl(proxy.value))} is not a proxy URL`,
    hint: `Use the form http://proxy.example.com:3128, or unset ${proxy.source}.`,
  });
}
