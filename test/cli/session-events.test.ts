/** sessions events: the table, the events around an insight, and long lists. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { prune } from "../../src/server/pruning/prune.ts";
import { NOW, runCli, startTestService, type TestService } from "../harness.ts";

let service: TestService;
let id: string;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
  const positions = Array.from({ length: 1200 }, (_, at) => ({
    id: `p${at}`,
    name: "player_pos",
    timestamp: NOW + at * 100,
    data: { x: at, y: 1, room: "dock" },
  }));
  const deaths = [60, 64, 69, 75, 82].map((second, n) => ({
    id: `d${n}`,
    name: "player_death",
    timestamp: NOW + second * 1000,
    data: { room: "dock", cause: "lava\u001b[2J" },
  }));
  const events = [...positions, ...deaths];
  const answer = await service.post("/api/telemetry", { gameId: "maze", events, sessionEnded: true });
  id = answer.json.sessionId;
  await service.analysis.drain();
});
afterAll(() => service.stop());

const list = (flags: string, tty = false) =>
  runCli(["sessions", "events", id, ...flags.split(" ").filter(Boolean)], { service, tty, columns: 100 });

test("shows times within the session, rooms and data in words, and runs of positions as one row", async () => {
  const insights = JSON.parse((await runCli(["sessions", "get", id, "--json"], { service })).out)
    .insights as { id: string; tag: string }[];
  const around = insights.find(({ tag }) => tag.endsWith(":dock"))?.id;
  const piped = await list(`--around ${around}`);
  expect([piped.code, piped.err]).toEqual([0, ""]);
  expect(piped.out.match(/player_pos +dock +x \d+, y 1$/gm)?.length).toBeGreaterThan(300);
  const out = (await list(`--around ${around}`, true)).out.replaceAll(/\u001b\[\d+m/g, "");
  const rows = out.trimEnd().split("\n");
  expect(rows[0]).toMatch(/TIME +EVENT +ROOM +DATA/);
  expect(rows[2]).toMatch(/^ +0:30\.0 +player_pos +dock +positions 301, to \(600, 1\)/);
  expect(rows[3]).toMatch(/^\* +1:00\.0 +player_death +dock +cause lava/);
  expect(rows).toHaveLength(2 + 6 + 5);
  expect(piped.out).not.toContain("\u001b");
});

test("reads as many pages as needed, and says if there are more events", async () => {
  const first = await list("");
  expect(first.err).toContain("Showing 500 events. Use --limit or --all to show more.");
  const csv = await list("--all --format csv");
  expect(csv.out.trimEnd().split("\n")).toHaveLength(1 + 1205);
  const some = JSON.parse((await list("--limit 700 --json")).out);
  expect([some.items.length, typeof some.next]).toEqual([700, "string"]);
  const deaths = JSON.parse((await list("--event player_death --all --json")).out);
  expect([deaths.items.length, deaths.next]).toEqual([5, null]);
});

test("says how many events could not be read", async () => {
  const body = { gameId: "maze", clientSessionId: "damaged" };
  const send = (eventId: string) =>
    service.post("/api/telemetry", { ...body, events: [{ id: eventId, name: "jump", timestamp: NOW }] });
  const { sessionId } = (await send("a")).json;
  await send("b");
  await service.service.store.writeDb
    .updateTable("event_batches")
    .set({ payload: Buffer.from("05ffffffffff", "hex") })
    .where("session_id", "=", sessionId)
    .where("seq", "=", 0)
    .execute();
  for (const flags of [[], ["--all", "--format", "csv"]]) {
    const { code, out, err } = await runCli(["sessions", "events", sessionId, ...flags], { service });
    expect([code, out]).toEqual([0, expect.stringContaining("jump")]);
    expect(err).toContain("1 event could not be read, because its stored data is damaged.");
  }
  const { out } = await runCli(["sessions", "events", sessionId, "--json"], { service });
  expect(JSON.parse(out)).toMatchObject({ unreadable: 1 });
});

test("says that an insight belongs to another session, and refuses --limit with --all", async () => {
  const unknown = await list("--around ins_none");
  expect([unknown.code, unknown.err]).toEqual([40, expect.stringContaining("around")]);
  expect((await list("--all --limit 3")).code).toBe(2);
});

test("shows that pruning removed the events, and when", async () => {
  const policy = { keepEventsMs: 0, keepSessionsMs: null };
  const pruning = { ...service.service, now: () => NOW + 86_400_000 };
  await prune(pruning, policy, { signal: new AbortController().signal });
  const message = "Pruning removed the 1205 events of this session on 2026-03-02.";
  for (const flags of ["", "--all --format csv", "--event player_death"])
    expect((await list(flags)).err).toContain(message);
  const { items, next, pruned } = JSON.parse((await list("--json")).out);
  expect([items, next, pruned]).toEqual([[], null, { at: NOW + 86_400_000, events: 1205 }]);
  const shown = await runCli(["sessions", "get", id], { service });
  expect(shown.out).toMatch(/^ {2}Retention removed the events .*\.$/m);
});
