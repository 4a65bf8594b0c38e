/** The statements of the API document hold for the bundled service, also without its extensions; and they notice what does not hold. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport.ts";
import { startDemo } from "../cli/demo.ts";
import {
  checkStatement,
  explore,
  type Get,
  type Json,
  statements,
  type World,
} from "../conformance/statements.ts";
import { withoutExtensions } from "../document-service.ts";
import { BASE_URL, createAppTransport, type TestService } from "../harness.ts";

let service: TestService;
const worlds: Record<string, World> = {};

const getOver =
  (transport: Transport): Get =>
  async (path, key = service.keys.management) => {
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    const answer = await transport({ method: "GET", url: BASE_URL + path, headers, timeoutMs: 60_000 });
    let json: unknown;
    try {
      json = JSON.parse(answer.body);
    } catch {
      json = undefined;
    }
    return { status: answer.status, headers: answer.headers, text: answer.body, json };
  };

beforeAll(async () => {
  service = await startDemo("studio");
  const transport = createAppTransport(service.app);
  worlds.own = await explore(getOver(transport), service.keys.ingest);
  worlds.document = await explore(getOver(withoutExtensions(transport)), service.keys.ingest);
});
afterAll(() => service.stop());

test("each statement has an id of its own", () => {
  expect(new Set(statements.map(({ id }) => id)).size).toBe(statements.length);
});

describe.each(["own", "document"])("the %s service", (name) => {
  test.each(statements.map((statement) => [statement.id, statement] as const))("%s", async (_, statement) => {
    const outcome = await checkStatement(statement, worlds[name] as World);
    expect([outcome.problem, outcome.skipped]).toEqual([null, null]);
  });
});

describe("a statement notices", () => {
  /** The outcome with an answer that is changed. */
  const withChange = async (id: string, path: RegExp, change: (json: Json) => void) => {
    const { get, ...world } = worlds.own as World;
    const changed: Get = async (at, key) => {
      const answer = await get(at, key);
      if (!path.test(at)) return answer;
      const json = structuredClone(answer.json);
      change(json);
      return { ...answer, json, text: JSON.stringify(json) };
    };
    const statement = statements.find((one) => one.id === id);
    if (statement === undefined) throw new Error(`No statement ${id}`);
    return (await checkStatement(statement, { ...world, get: changed })).problem;
  };

  test.each<[string, RegExp, (json: Json) => void]>([
    ["listSessions.fields", /sessions/, (json) => delete json.items[0].recordedAt],
    ["pages.end", /offset/, (json) => Object.assign(json, { hasMore: true })],
    ["insights.order", /insights/, (json) => Object.assign(json.items.at(-1), { createdAt: 9e15 })],
    ["insights.order", /insights/, (json) => Object.assign(json.items[0], { evidence: "e1" })],
    ["heatmap.grid", /heatmaps/, (json) => Object.assign(json.rooms[0].cells[0], { x: 99 })],
    ["events.top", /events/, (json) => Object.assign(json, { total: json.total + 1 })],
    ["compare.totals", /compare/, (json) => Object.assign(json.diff.totals, { introduced: 99 })],
    ["batches.secrets", /keys/, (json) => Object.assign(json.keys[0], { fingerprint: "f" })],
    ["status.sessions?limit=0", /limit=0/, (json) => delete json.issues],
  ])("%s: %s", async (id, path, change) => {
    expect(await withChange(id, path, change)).not.toBeNull();
  });
});
