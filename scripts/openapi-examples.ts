/** Asks the demo studio one question an endpoint: the examples of the OpenAPI document. */
import { seedDemo } from "../src/cli/commands/server/demo.ts";
import type { Endpoint } from "../src/contract/define.ts";
import { endpoints } from "../src/contract/index.ts";
import { createAccount, issueKeys } from "../src/server/accounts/accounts.ts";
import { openStore } from "../src/server/db/open.ts";
import { startService } from "../src/server/start.ts";

/** 2026-03-01T12:00:00Z: examples are the same on every run. */
const NOW = Date.UTC(2026, 2, 1, 12);
const GAME = "ember";
/** How much of a list or of a map by name an example shows. */
const SHOWN = 2;

type Ask = (path: string) => Promise<unknown>;

/** The answer of each read that the demo can answer, lists cut short. */
export async function demoExamples(): Promise<Record<string, unknown>> {
  let next = 0;
  const newId = (kind: string) => `${kind}_${(next++).toString(16).padStart(24, "0")}`;
  const store = await openStore({ database: ":memory:", durability: "NORMAL" });
  const running = await startService({ store, limits: "off", dependencies: { now: () => NOW, newId } });
  try {
    const account = await createAccount(store.write, running.service, "demo");
    const keys = await issueKeys(store.write, running.service, account.id);
    await seedDemo({ ...running, accountId: account.id, database: ":memory:" });
    await running.analysis.settle();
    const ask: Ask = async (path) => {
      const headers = { authorization: `Bearer ${keys.management}` };
      const response = await running.app.fetch(new Request(`http://127.0.0.1${path}`, { headers }));
      return response.status === 200 ? await response.json() : undefined;
    };
    return await examplesOf(ask);
  } finally {
    await running.stop();
  }
}

async function examplesOf(ask: Ask): Promise<Record<string, unknown>> {
  const names = await namesOf(ask);
  const examples: Record<string, unknown> = {};
  for (const endpoint of Object.values(endpoints) as Endpoint[]) {
    if (endpoint.method !== "GET" || !endpoint.keys.includes("management")) continue;
    const url = urlOf(endpoint, names);
    const answer = url === null ? undefined : await ask(url);
    if (answer !== undefined) examples[endpoint.name] = cut(answer);
  }
  return examples;
}

/** What parameters are called by in the demo; a path's `id` by the noun before it. */
async function namesOf(ask: Ask): Promise<Record<string, string>> {
  const { items } = (await ask(`/api/v1/sessions?game=${GAME}&status=analyzed`)) as {
    items: { id: string; metadata: { gameVersion: string } }[];
  };
  const [newest] = items;
  const builds = [...new Set(items.map((item) => item.metadata.gameVersion))];
  const full = (await ask(`/api/v1/sessions/${newest?.id}`)) as { session: { deviceId: string } };
  const first = async (path: string, list: string) =>
    ((await ask(path)) as Record<string, { id: string }[]> | undefined)?.[list]?.[0]?.id ?? "";
  return {
    game: GAME,
    "games/id": GAME,
    "sessions/id": newest?.id ?? "",
    "experiments/id": await first(`/api/v1/games/${GAME}/experiments`, "experiments"),
    batchId: await first(`/api/v1/batches/${GAME}`, "batches"),
    deviceId: full.session.deviceId,
    version: builds[0] ?? "",
    a: builds[1] ?? "",
    b: builds[0] ?? "",
  };
}

/** The endpoint's URL with every parameter it needs; null where the demo has no name for one. */
function urlOf(endpoint: Endpoint, names: Readonly<Record<string, string>>): string | null {
  const [, , , noun = ""] = endpoint.path.split("/");
  const nameOf = (parameter: string) => names[parameter === "id" ? `${noun}/id` : parameter];
  const needed = Object.keys(endpoint.params.shape);
  const asked = Object.entries(endpoint.query.shape).flatMap(([name, field]) =>
    name === "game" || !field.safeParse(undefined).success || name === "a" || name === "b" ? [name] : [],
  );
  if ([...needed, ...asked].some((name) => !nameOf(name))) return null;
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(nameOf(name) ?? ""),
  );
  const query = asked.map((name) => `${name}=${encodeURIComponent(nameOf(name) ?? "")}`).join("&");
  return query === "" ? path : `${path}?${query}`;
}

const isPair = (value: unknown) => Array.isArray(value) && value.every((part) => typeof part !== "object");

/** Lists cut to a few entries, and maps whose keys are data likewise. */
function cut(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) {
    return (isPair(value) ? value : value.slice(0, SHOWN)).map((item) => cut(item));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const shown = key === "byName" || key === "event_counts" ? entries.slice(0, SHOWN) : entries;
  return Object.fromEntries(shown.map(([name, part]) => [name, cut(part, name)]));
}
