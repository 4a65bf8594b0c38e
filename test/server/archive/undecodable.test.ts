/** Archives with valid checksums and hostile contents: refused with the row and the reason, and nothing is imported. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../src/server/db/open.ts";
import { NOW, startTestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";
import { emptyStore, exportArchive, filledTables, reseal, restoreLines } from "./archives.ts";

let lines: string[];
let store: Store;
beforeAll(async () => {
  const service = await startTestService();
  await service.addGame("maze");
  // One chunk more than compaction leaves, so that there are chunks, blocks and slices.
  for (let n = 0; n < 65; n += 1) await send(service, n, "hall");
  await service.compaction.drain();
  service.clock.now += 3 * 24 * 3600_000;
  await service.eventCompaction.drain();
  await send(service, 65, "docks");
  await service.analysis.drain();
  ({ lines } = await exportArchive(service.service.store));
  await service.stop();
  store = await emptyStore();
});
afterAll(() => store.close());

async function send(service: Awaited<ReturnType<typeof startTestService>>, n: number, room: string) {
  await sendTelemetry(service, {
    gameId: "maze",
    clientSessionId: `s${n}`,
    sessionEnded: true,
    source: "unity-telemetry",
    events: [{ id: `e${n}`, name: "player_pos", timestamp: NOW, data: { x: n, y: 1, room } }],
  });
}

/** Replaces a column of the first row of a table, and corrects all counts and checksums. */
function change(table: string, column: string, value: unknown): { changed: string[]; line: number } {
  const start = lines.findIndex((line) => line.startsWith(`{"table":"${table}"`));
  const index = (JSON.parse(lines[start] ?? "").columns as string[]).indexOf(column);
  const row = JSON.parse(lines[start + 1] ?? "");
  expect([table, index >= 0, Array.isArray(row)]).toEqual([table, true, true]);
  row[index] = value;
  return { changed: reseal(lines.with(start + 1, JSON.stringify(row))), line: start + 2 };
}

async function readFault(changed: readonly string[]): Promise<string> {
  const error = await restoreLines(store, changed).then(
    () => null,
    (fault: Error) => fault,
  );
  expect([error?.name, await filledTables(store)]).toEqual(["ServiceError", []]);
  return error?.message ?? "";
}

const bytes = (...values: number[]) => ({ bytes: Buffer.from(values).toString("base64") });
const BOMB = bytes(1, 0, 1, 97, 2, 91, 93, 2, 91, 93, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);

describe("an archive", () => {
  test("without changes is imported", async () => {
    const whole = await emptyStore();
    await restoreLines(whole, reseal(lines));
    expect(await filledTables(whole)).toContain("position_slices");
    await whole.close();
  });

  test.each([
    ["position_chunks", "xy", bytes(), "the column xy has 0 bytes for 1 points"],
    ["position_chunks", "points", 1e12, "the column xy has 16 bytes for 1000000000000 points"],
    ["position_chunks", "x_min", { number: "-Infinity" }, "the bounds of the positions are not finite"],
    ["position_blocks", "points", -1, /^the column xy has \d+ bytes for -1 points$/],
    ["event_count_blocks", "names", '["a",1]', /^the column names is invalid at 1: /],
    ["event_count_blocks", "names", "[]", /^the column counts is damaged: .+ a count without a name$/],
    ["event_count_blocks", "counts", bytes(1), /^the column counts is damaged: .+ is incomplete$/],
    [
      ...([
        "event_count_blocks",
        "counts",
        bytes(...Array.from({ length: 16 }, () => 0).with(8, 1)),
      ] as const),
      "the column counts has a number that is not whole",
    ],
    ["position_slices", "parts", "[[0,-1]]", /^the column parts is invalid at 0\.1: /],
    ["position_slices", "parts", "[[0,1]", "the column parts is not valid JSON"],
    ["sessions", "item", '{"id":"x"}', /^the column item is invalid at /],
    ["sessions", "item", '},{"id":"x"', "the column item is not valid JSON"],
    ["sessions", "event_counts", '{"a":"1"}', /^the column event_counts is invalid at a: /],
    [
      "sessions",
      "metadata",
      "[".repeat(100_000) + "]".repeat(100_000),
      /^the column metadata is nested more than /,
    ],
    ["sessions", "experiment_tags", "null", /^the column experiment_tags is invalid: /],
    ["sessions", "next_batch", "many", "the column next_batch is not of the type integer"],
    ["insights", "claims", "{}", /^the column claims is invalid: /],
    ["insights", "confidence", "high", "the column confidence is not of the type number"],
  ])("with an invalid row of %s (%s = %j) is refused", async (table, column, value, reason) => {
    const { changed, line } = change(table, column, value);
    const [place, fault = ""] = (await readFault(changed)).split(`: table ${table}: `);
    expect(place).toBe(`studio.gz is damaged at line ${line}`);
    if (typeof reason === "string") expect(fault).toBe(reason);
    else expect(fault).toMatch(reason);
  });

  test.each([
    ["event_batches", "payload", BOMB, "A stored batch has runs that are longer than its events"],
    ["event_batches", "payload", bytes(1), "A stored batch has too many events"],
    ["event_batches", "event_count", 7, "A stored batch has the wrong number of events"],
    ["position_slices", "block", 99, "A block of positions is missing"],
    ["position_slices", "parts", "[[0,900000000]]", "A block of positions is too short"],
    ["position_slices", "parts", "[[1,1]]", "Stored positions are missing"],
    ["sessions", "next_batch", 3, "the session has 3 batches"],
  ])("whose events cannot be decoded (%s.%s) is refused", async (table, column, value, reason) => {
    const { changed } = change(table, column, value);
    const place =
      /^studio\.gz contains data that cannot be decoded: table event_batches, session "sess_\w+" of game "\w+", batch \d: (.+)$/;
    expect(place.exec(await readFault(changed))?.[1]).toBe(reason);
  });

  test("with events of no session is refused", async () => {
    const { changed } = change("event_batches", "session_id", "sess_0000");
    expect(await readFault(changed)).toMatch(/contains data that cannot be decoded: table event_batches/);
  });
});
