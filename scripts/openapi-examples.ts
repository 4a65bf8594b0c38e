/** Asks the demo studio one question an endpoint: the examples of the OpenAPI document. */
import * as z from "zod";
import { seedDemo } from "../src/cli/commands/server/demo.ts";
import type { Endpoint } from "../src/contract/define.ts";
import { UNKNOWN_BUILD } from "../src/contract/fields.ts";
import { endpoints } from "../src/contract/index.ts";
import type { Noun } from "../src/contract/nouns.ts";
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
    const account = await createAccount(store.writeDb, running.service, "demo");
    const keys = await issueKeys(store.writeDb, running.service, account.id);
    await seedDemo({ ...running, accountId: account.id, database: ":memory:" });
    await running.analysis.drain();
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

/** Names of what the demo studio has, by noun: of builds an older one, then the newest. */
async function namesOf(ask: Ask): Promise<Partial<Record<Noun, readonly string[]>>> {
  const { items } = (await ask(`/api/v1/sessions?game=${GAME}&status=analyzed&limit=100`)) as {
    items: { id: string; metadata: { gameVersion: string } }[];
  };
  const [newest] = items;
  const builds = [...new Set(items.map((item) => item.metadata.gameVersion))].filter(
    (one) => one !== UNKNOWN_BUILD,
  );
  const full = (await ask(`/api/v1/sessions/${newest?.id}`)) as { session: { deviceId: string } };
  const first = async (path: string, list: string) =>
    ((await ask(path)) as Record<string, { id: string }[]> | undefined)?.[list]
      ?.slice(0, 1)
      .map(({ id }) => id);
  return {
    game: [GAME],
    session: items.slice(0, 1).map(({ id }) => id),
    experiment: (await first(`/api/v1/games/${GAME}/experiments`, "experiments")) ?? [],
    batch: (await first(`/api/v1/batches/${GAME}`, "batches")) ?? [],
    device: [full.session.deviceId],
    build: builds.slice(0, 2).reverse(),
  };
}

/** The endpoint's URL with every parameter it needs, and the game where it takes one; null where the demo has no name for one. */
function urlOf(
  { path, params, query, names: named, sample }: Endpoint,
  names: Awaited<ReturnType<typeof namesOf>>,
): string | null {
  const asked = Object.entries(query.shape).flatMap(([name, field]) =>
    name === "game" || name in sample || !(field instanceof z.ZodOptional) ? [name] : [],
  );
  // A single build is the newest, the last of the names.
  const fields = [...Object.keys(params.shape), ...asked];
  const left = new Map(Object.entries(names).map(([noun, values]) => [noun, [...(values ?? [])]]));
  const builds = fields.filter((field) => named[field] === "build").length;
  left.set("build", left.get("build")?.slice(-builds) ?? []);
  const values = new Map(fields.map((field) => [field, left.get(named[field] ?? "")?.shift()]));
  const encodedName = (name: string) => encodeURIComponent(values.get(name) ?? "");
  if (fields.some((field) => values.get(field) === undefined)) return null;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodedName(name));
  const pairs = asked.map((name) => `${name}=${encodedName(name)}`).join("&");
  return pairs === "" ? filled : `${filled}?${pairs}`;
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
