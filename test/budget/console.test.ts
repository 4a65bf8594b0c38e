/** What pages of the console cost: SQL statements against those of the data that they show, and bytes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allPages } from "../../src/console/all-pages.ts";
import { endpoints } from "../../src/contract/index.ts";
import { startDemo } from "../cli/demo.ts";
import { findEndpoint } from "../client/response-fixtures.ts";
import { addressesOf, type Names } from "../console/addresses.ts";
import { readDemoNames } from "../console/demo-names.ts";
import { signIn, visit } from "../console/harness.ts";
import { openPage } from "../console/open-page.ts";
import { type Answer, BASE_URL, type TestService } from "../harness.ts";
import { recordStatements, watchStatements } from "../sql-statements.ts";

/** A page may send this many times the statements that the API needs for its data. */
const MAX_RATIO = 1.3;
/** The first page with its files, and any other page, uncompressed. */
const MAX_FIRST_BYTES = 100_000;
const MAX_PAGE_BYTES = 400_000;

/** The data that each page shows; the header of a game shows its builds. Calls that only check something are not its data. */
const shownBy: Readonly<Record<string, readonly string[]>> = {
  "/": ["listGames"],
  "/games/{game}": ["listBuilds", "getStatus", "getBuildDropoff"],
  "/games/{game}/suggestions": ["listBuilds", "getBuildSuggestions"],
  "/games/{game}/builds": ["listBuilds", "getTrend"],
  "/games/{game}/builds/{version}": ["listBuilds", "getBuild", "getStatus"],
  "/games/{game}/compare": ["listBuilds", "getScorecard", "getBuildDropoff"],
  "/games/{game}/report": [
    "listBuilds",
    "getScorecard",
    "getBuildSuggestions",
    "getHeatmap",
    "listFeedback",
    "getEvents",
  ],
  "/games/{game}/dropoff": ["listBuilds", "getBuildDropoff"],
  "/games/{game}/funnel": ["listBuilds", "getBuildDropoff", "getFunnel"],
  "/games/{game}/heatmap": ["listBuilds", "getHeatmap"],
  "/games/{game}/insights": ["listBuilds", "listInsights"],
  "/games/{game}/insights/{id}": ["listBuilds", "getInsight"],
  "/games/{game}/sessions": ["listBuilds", "listSessions"],
  "/games/{game}/sessions/{id}": ["listBuilds", "getSession", "listSessionEvents"],
  "/games/{game}/testers": ["listBuilds", "listTesters"],
  "/games/{game}/never-played": ["listBuilds", "listNeverPlayed"],
  "/games/{game}/testers/{tester}": ["listBuilds", "getTesterJourney", "getTester"],
  "/games/{game}/experiments": ["listBuilds", "listGameExperiments"],
  "/games/{game}/experiments/{id}": ["listBuilds", "listGameExperiments", "getExperimentComparison"],
  "/games/{game}/feedback": ["listBuilds", "listFeedback"],
  "/games/{game}/feedback/{id}": ["listBuilds", "getFeedback"],
  "/games/{game}/bug-reports": ["listBuilds", "listBugReports"],
  "/games/{game}/bug-reports/{id}": ["listBuilds", "getBugReport"],
  "/games/{game}/gates": ["listBuilds", "listGates"],
  "/games/{game}/batches": ["listBuilds", "listBatches"],
  "/games/{game}/batches/{id}": ["listBuilds", "getBatch", "listBatchKeys", "listBatchInvites"],
  "/games/{game}/events": ["listBuilds", "getEvents"],
  "/games/{game}/crashes": ["listBuilds", "listCrashes"],
  "/games/{game}/live": ["listBuilds", "listSessions", "countRefusals"],
};

let service: TestService;
let names: Names;
let cookie: string;
let unwatch: () => void;

beforeAll(async () => {
  service = await startDemo("studio", { console: { identity: null } });
  await service.analysis.stop();
  names = await readDemoNames(service);
  cookie = await signIn(service);
  unwatch = watchStatements();
});

afterAll(async () => {
  unwatch();
  await service.stop();
});

/** The number of statements of a request whose caches are filled, and the size of its answer in bytes. */
async function measureRequest(
  request: () => Promise<Answer>,
): Promise<{ statements: number; bytes: number }> {
  await request();
  const { value, statements } = await recordStatements(request);
  expect(value.status).toBe(200);
  return { statements: statements.length, bytes: Buffer.byteLength(value.text) };
}

/** The number of statements for the data of a page, by request. Many pages have some data in common. */
const dataCounts = new Map<string, Promise<number>>();

function countDataStatements(request: string): Promise<number> {
  const count =
    dataCounts.get(request) ??
    measureRequest(() => service.get(request)).then(({ statements }) => statements);
  dataCounts.set(request, count);
  return count;
}

describe.each(allPages.map((page) => [page.path, page] as const))("%s", (path, page) => {
  test(`sends at most ${MAX_RATIO} times the statements that its data needs, and is smaller than 400 kB`, async () => {
    const shown = shownBy[path] ?? [];
    expect(Object.keys(endpoints)).toEqual(expect.arrayContaining([...shown]));
    for (const address of addressesOf(page, names)) {
      const { requests } = await openPage(service, address);
      const needed = [...requests].filter((request) => shown.includes(findEndpoint(BASE_URL + request)));
      expect(needed).not.toEqual([]);
      const counts = [];
      for (const request of needed) counts.push(await countDataStatements(request));
      const budget = counts.reduce((sum, count) => sum + count, 0) * MAX_RATIO;
      const { statements: cost, bytes } = await measureRequest(() => visit(service, address, { cookie }));
      expect([address, cost, budget, cost <= budget]).toEqual([address, cost, budget, true]);
      expect([address, bytes < MAX_PAGE_BYTES]).toEqual([address, true]);
    }
  });
});

test("the first page loads less than 100 kB, with the demo and with 100 games", async () => {
  const measure = async () => {
    const { text } = await visit(service, "/", { cookie });
    const files = [...text.matchAll(/(?:href|src)="(\/files\/[^"]+)"/g)].map(([, file = ""]) => file);
    expect(files).toHaveLength(3);
    const sizes = await Promise.all(files.map(async (file) => (await visit(service, file)).text.length));
    return sizes.reduce((sum, size) => sum + size, Buffer.byteLength(text));
  };
  expect(await measure()).toBeLessThan(MAX_FIRST_BYTES);
  for (let at = 0; at < 100; at += 1) await service.addGame(`a-game-with-a-rather-long-slug-${at}`);
  expect(await measure()).toBeLessThan(MAX_FIRST_BYTES);
});
