/** Opens pages of the console in the process, as a browser would. */
import {
  type Answer,
  BASE_URL,
  send,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from "../harness.ts";

export const startConsole = async (options: TestServiceOptions = {}): Promise<TestService> =>
  await startTestService({ console: { identity: null }, ...options });

/** The headers that a browser sends when somebody follows a link on a page of the same server. */
export const BROWSER = { accept: "text/html", "sec-fetch-site": "same-origin" } as const;

interface Visit {
  /** The Cookie header. */
  readonly cookie?: string | null;
  /** Added to those of a browser. An empty value removes one. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** The headers with a value. */
const present = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));

/** Opens a page. */
export async function visit(
  { app }: Pick<TestService, "app">,
  path: string,
  { cookie = null, headers = {}, method = "GET" }: Visit = {},
): Promise<Answer> {
  const sent = { ...BROWSER, ...(cookie === null ? {} : { cookie }), ...headers };
  return await send(app, path, { method, headers: present(sent) });
}

/** Sends a form. */
export async function submit(
  { app }: Pick<TestService, "app">,
  path: string,
  fields: Readonly<Record<string, string>>,
  { cookie = null, headers = {} }: Visit = {},
): Promise<Answer> {
  const body = new URLSearchParams(fields).toString();
  const sent = {
    ...BROWSER,
    origin: BASE_URL,
    host: new URL(BASE_URL).host,
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(body.length),
    ...(cookie === null ? {} : { cookie }),
    ...headers,
  };
  return await send(app, path, { method: "POST", headers: present(sent), body });
}

/** Signs in with a key, by default the management key. Returns the Cookie header. */
export async function signIn(service: TestService, key = service.keys.management): Promise<string> {
  const { status, headers } = await submit(service, "/sign-in", { key, next: "/" });
  if (status !== 303) throw new Error(`Signing in returned ${status}`);
  return (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}
