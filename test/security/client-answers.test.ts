/** Random values in responses: every command that reads must end quickly, with a result or a clear error, and clean output. */
import { expect, test } from "vitest";
import { type EndpointName, endpoints } from "../../src/contract/index.ts";
import { datasets } from "../../src/export/datasets/index.ts";
import { readCommands } from "../cli/read-commands.ts";
import { findEndpoint, responseBodies } from "../client/response-fixtures.ts";
import { allAnnounced, script } from "../client/script.ts";
import { runCli } from "../harness.ts";
import fc, { times } from "../property.ts";
import { forbiddenIn } from "../render/samples.ts";
import { anyJson, findPaths, numbers, type Path, replaceAt } from "./mutations.ts";

const env = {
  PLAYTEST_BASE_URL: "http://127.0.0.1:1",
  PLAYTEST_KEY: "secret-key",
  PLAYTEST_INGEST_KEY: "secret-ingest",
  PLAYTEST_GAME: "ember",
};

/** All exit codes that are possible with such responses, except 1 (bug). */
const ALLOWED_EXIT_CODES = [0, 3, 10, 11, 12, 44, 53];

const formats = ["table", "json", "ndjson", "csv", "tsv", "md"];

const tried = fc.constantFrom(...Object.entries(readCommands)).chain(([line, name]) =>
  fc.record({
    line: fc.constant(line),
    name: fc.constant(name),
    path: fc.constantFrom(...findPaths(responseBodies[name])),
    text: anyJson,
    format: fc.constantFrom(...formats),
    tty: fc.boolean(),
  }),
);

async function runWith(line: string, body: string, format: string, tty = false) {
  const { transport } = script({ body, headers: allAnnounced });
  const argv = [...line.split(" "), "--format", format];
  const run = await runCli(argv, { env, transport, tty, columns: 100, colors: 0 });
  const raw = forbiddenIn(run.out + run.err, format === "tsv" ? "\n\t" : "\n");
  return { ...run, raw };
}

const RUNS = process.env.PLAYTEST_FAULTS === "long" ? 30 : 1;

test("handles responses with a random value in place of any value", async () => {
  await fc.assert(
    fc.asyncProperty(tried, async ({ line, name, path, text, format, tty }) => {
      const { code, err, raw } = await runWith(
        line,
        replaceAt(responseBodies[name], path, text),
        format,
        tty,
      );
      expect({ calm: ALLOWED_EXIT_CODES.includes(code) || err, raw }).toEqual({ calm: true, raw: [] });
    }),
    { numRuns: times(600) * RUNS },
  );
});

/** The bodies of an endpoint with a number out of range at a path: all that the contract accepts, and the first that it refuses. */
function withNumbersAt(name: EndpointName, path: Path): string[] {
  const bodies = numbers.map((text) => replaceAt(responseBodies[name], path, text));
  const isAccepted = (body: string) => endpoints[name].response.safeParse(JSON.parse(body)).success;
  return [...bodies.filter(isAccepted), ...bodies.filter((body) => !isAccepted(body)).slice(0, 1)];
}

test("handles responses with numbers out of range", async () => {
  const failed: string[] = [];
  for (const [line, name] of Object.entries(readCommands)) {
    for (const path of findPaths(responseBodies[name])) {
      for (const body of withNumbersAt(name, path)) {
        const { code, err } = await runWith(line, body, "table", true);
        if (!ALLOWED_EXIT_CODES.includes(code)) failed.push(`${line} ${body}: ${code} ${err}`);
      }
    }
  }
  expect(failed).toEqual([]);
});

/** Commands that combine several responses. */
const made = [
  "status",
  "report 0.8.0 0.9.0 --format html",
  "report 0.8.0 0.9.0 --format md",
  "events --by week",
  "heatmap --build 0.9.0 --diff 0.8.0",
  "heatmap --out x.svg",
  "heatmap --out x.html",
  "heatmap --out x.csv",
  "heatmap --cells",
  "builds compare 0.8.0 0.9.0 --out x.svg",
  "testers journey x --out x.svg",
  "builds blame difficulty-spike:furnace",
  "builds trend --out x.svg",
  "testers retention --out x.svg",
  "funnel x --out x.svg",
  ...["text", "json", "junit", "md"].map((kind) => `gate 0.8.0 0.9.0 --report ${kind}`),
  "gate save 0.9.0 --out baseline.json",
  ...[...datasets.keys()].map((name) => `export ${name}`),
  "api games",
  "doctor",
];

/** The endpoints that these commands request. */
const combinedEndpoints = [
  "getTrend",
  "getBuildFacts",
  "getRetention",
  "getFunnel",
  "getBuildSuggestions",
  "compareBuilds",
  "getBuild",
  "getHeatmap",
  "getEvents",
  "listInsights",
  "getSession",
  "listSessions",
  "getTesterJourney",
  "listBatches",
  "listBatchKeys",
  "listHandles",
  "getExperimentComparison",
  "listGameExperiments",
  "getGame",
  "listGames",
];

test("judges builds by a comparison with numbers out of range", async () => {
  const failed: string[] = [];
  for (const line of ["gate 0.8.0 0.9.0", "gate 0.8.0 0.9.0 --sequential 1/3", "gate plan 0.8.0 0.9.0"]) {
    for (const path of findPaths(responseBodies.compareBuilds)) {
      for (const body of withNumbersAt("compareBuilds", path)) {
        const { transport } = script(({ url }) => {
          const name = findEndpoint(url);
          return { body: name === "compareBuilds" ? body : JSON.stringify(responseBodies[name]) };
        });
        const { code, err } = await runCli(line.split(" "), { env, transport, tty: false });
        if (!ALLOWED_EXIT_CODES.includes(code)) failed.push(`${line} ${body}: ${code} ${err}`);
      }
    }
  }
  expect(failed).toEqual([]);
});

test("handles random values in commands that combine several responses", async () => {
  const seen = new Set<number>();
  const choice = fc.record({
    line: fc.constantFrom(...made),
    at: fc.nat(),
    text: anyJson,
    broken: fc.constantFrom(...combinedEndpoints),
  });
  await fc.assert(
    fc.asyncProperty(choice, async ({ line, at, text, broken }) => {
      const paths = findPaths(responseBodies[broken]);
      const { transport } = script(({ url }) => {
        const name = findEndpoint(url);
        const answer = responseBodies[name];
        return {
          headers: allAnnounced,
          body:
            name === broken
              ? replaceAt(answer, paths[at % paths.length] ?? [], text)
              : JSON.stringify(answer),
        };
      });
      const { code, out, err } = await runCli(line.split(" "), { env, transport, tty: false });
      seen.add(code);
      expect({ calm: ALLOWED_EXIT_CODES.includes(code) || err, raw: forbiddenIn(out + err, "\n") }).toEqual({
        calm: true,
        raw: [],
      });
    }),
    { numRuns: times(250) * RUNS },
  );
  // If all responses were rejected, the test would not check any output.
  expect([...seen]).toEqual(expect.arrayContaining([0, 53]));
});
