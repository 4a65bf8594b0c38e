/** Memory use of importing a large CSV file. It does not depend on the size of the file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "../harness.ts";
import { listening, playtest } from "./program.ts";

const ROWS = 240_000;
const SESSIONS = 200;
const map = {
  ...{ session: "sid", device: "sid", event: "name", json: ["detail"] },
  time: { column: "ts", format: "unix-ms" },
};

/** A file of 40 MB, in which the rows of many sessions are mixed. */
function writeTable(file: string): void {
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const detail = `{""hp"":${at % 100},""room"":""room_${at % 23}"",""note"":""what happened in row ${at} of the table""}`;
    return `session-${String(at % SESSIONS).padStart(40, "0")},event_${at % 17},${1_772_000_000_000 + at},"${detail}"`;
  });
  writeFileSync(file, `sid,name,ts,detail\n${rows.join("\n")}\n`);
}

test("ingest csv of a large file takes less than 200 MB", async () => {
  const folder = freshFolder();
  const file = join(folder, "events.csv");
  const mapFile = join(folder, "map.json");
  const spy = join(folder, "spy.cjs");
  writeTable(file);
  writeFileSync(mapFile, JSON.stringify(map));
  // In kB.
  writeFileSync(
    spy,
    `process.on("exit", () => process._rawDebug("peak " + process.resourceUsage().maxRSS));`,
  );
  const port = await listening((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { clientSessionId, events } = JSON.parse(Buffer.concat(chunks).toString());
      const receipt = { sessionId: `sess_${clientSessionId}`, accepted: events.length, duplicates: 0 };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ...receipt, rejected: [] }));
    });
  });
  const { exitCode, stdout, stderr } = await playtest(
    ["ingest", "csv", file, "--map", mapFile, "--game", "maze", "--json"],
    {
      env: {
        ...{ PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_INGEST_KEY: "pt_ik_none" },
        NODE_OPTIONS: `--require ${spy}`,
      },
    },
  );
  expect([exitCode, JSON.parse(String(stdout)).accepted]).toEqual([0, ROWS]);
  expect(Number(/peak (\d+)/.exec(String(stderr))?.[1])).toBeLessThan(200_000);
});
