/** Pages with nothing to show, names that cannot be seen, and errors: each says what happened and leads on. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultRateLimits } from "../../src/server/http/rate-limits.ts";
import { NOW, type TestService } from "../harness.ts";
import { listLinks } from "./crawl.ts";
import { signIn, startConsole, visit } from "./harness.ts";

const BLANK = "\u00a0 ";

let service: TestService;
let cookie: string;

beforeAll(async () => {
  service = await startConsole();
  await service.addGame("empty");
  await service.addGame("odd");
  const report = { gameId: "odd", title: BLANK, description: "Nothing.", idempotencyKey: "blank" };
  expect((await service.post("/api/telemetry/bug-report", report)).status).toBe(200);
  const session = {
    ...{ gameId: "odd", clientSessionId: "one", title: "First", deviceId: "device-1" },
    sessionMetadata: { gameVersion: "1.0/β" },
    events: [{ id: "1", name: "jump", timestamp: NOW }],
  };
  expect((await service.post("/api/telemetry", session)).status).toBe(202);
  cookie = await signIn(service);
});

afterAll(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

const open = async (path: string) => await visit(service, path, { cookie });

describe("a game without any data", () => {
  test.each([
    ["builds", "No sessions yet"],
    ["compare", "No build has sessions"],
    ["report", "No build has sessions"],
    ["suggestions", "No build has sessions"],
    ["dropoff", "No build has sessions"],
    ["funnel", "No build has sessions"],
    ["events", "No events match"],
    ["batches", "No batches yet"],
    ["heatmap", "No positions match"],
    ["sessions", "No sessions yet"],
    ["insights", "No insights yet"],
    ["testers", "No testers yet"],
    ["never-played", "No invite or key"],
    ["experiments", "No experiments yet"],
    ["feedback", "No feedback in production"],
    ["bug-reports", "No bug reports yet"],
    ["crashes", "No crashes in production"],
    ["live", "No sessions yet"],
  ])("shows on %s what is missing", async (page, text) => {
    const { status, text: html } = await open(`/games/empty/${page}`);
    expect(status).toBe(200);
    const empty = /<div class="empty">(.*?)<\/div>/.exec(html)?.[1] ?? "";
    expect(empty).toContain(text);
    expect(empty.replaceAll(/<[^>]*>/g, "").length).toBeGreaterThan(20);
  });
});

test("a name that cannot be seen is a link that can", async () => {
  const { text } = await open("/games/odd/bug-reports");
  expect(text).toContain(">(blank)</a>");
  const [link = ""] = listLinks(text).filter((href) => href.includes("/bug-reports/"));
  expect((await open(link)).text).toContain("<h1>(blank)</h1>");
});

test("lists link to the pages of builds and testers, and suggest what they show", async () => {
  const { text } = await open("/games/odd/sessions");
  expect(listLinks(text)).toEqual(
    expect.arrayContaining(["/games/odd/builds/1.0%2F%CE%B2", expect.stringMatching(/sessions\/sess_/)]),
  );
  expect(text).toMatch(/<select id="filter-build" name="build">.*<option value="1\.0\/β">/);
  expect((await open("/games/odd/builds/1.0%2F%CE%B2")).status).toBe(200);
});

test("a report on one build asks for another", async () => {
  const { status, text } = await open(`/games/odd/report?a=${encodeURIComponent("1.0/β")}&b=latest`);
  expect([status, text]).toEqual([200, expect.stringContaining("Both builds are 1.0/β. Choose two builds")]);
});

test("sessions to watch show what makes them so", async () => {
  const { text } = await open("/games/odd/sessions?sort=watch");
  expect(text).toContain("<caption>Sessions, those with the most problems first</caption>");
  expect(text).toMatch(/<option value="watch" selected(="")?>most problems first<\/option>/);
  for (const label of ["Problems", "Last room", "Rating", "Worst at"])
    expect(text).toContain(`data-label="${label}"`);
  expect(text).toContain("playtest sessions list --game odd --sort watch");
});

test("rows that become blocks on a phone keep the roles of a table", async () => {
  const { text } = await open("/games/odd/sessions");
  for (const role of ["table", "rowgroup", "row", "rowheader", "cell"])
    expect(text).toContain(`role="${role}"`);
  expect(text).toContain('data-label="Build"');
});

describe("errors lead on", () => {
  test.each([
    ["/games/empty/builds/9", 404, "/games/empty/builds"],
    ["/games/empty/sessions?status=lost&build=1", 400, "/games/empty/sessions"],
    ["/nowhere", 404, "/"],
  ])("%s", async (path, status, wayOut) => {
    const answer = await open(path);
    expect(answer.status).toBe(status);
    expect(listLinks(answer.text)[0]).toBe(wayOut);
    expect(listLinks(answer.text)).toContain("/");
  });

  test("after too many requests, the link opens the same page again", async () => {
    const limited = await startConsole({
      limits: { ...defaultRateLimits, page: { points: 1, seconds: 60 } },
    });
    await limited.addGame("empty");
    const reader = await signIn(limited);
    const path = "/games/empty/sessions?build=1&env=lab";
    await visit(limited, path, { cookie: reader });
    const { status, text } = await visit(limited, path, { cookie: reader });
    expect(status).toBe(429);
    expect(text).toContain("Wait a minute");
    expect(listLinks(text)[0]).toBe(path);
    await limited.stop();
  });
});

test("a session that has ended is explained where the reader signs in again", async () => {
  const first = await visit(service, "/games/odd/builds");
  expect(first.text).not.toContain('role="alert"');
  const { status, text } = await visit(service, "/games/odd/builds", {
    cookie: `playtest=${"0".repeat(64)}`,
  });
  expect(status).toBe(401);
  expect(text).toContain("no longer signed in");
  expect(text).toContain('name="next" value="/games/odd/builds"');
});
