/** status: the same figures as the commands about one of them, in one request or from what the API document has. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Transport } from "../../src/client/transport.ts";
import type { BuildDropoff } from "../../src/contract/dropoff.ts";
import type { Status } from "../../src/contract/status.ts";
import type { BuildSuggestions } from "../../src/contract/suggestions.ts";
import { withoutExtensions } from "../document-service.ts";
import { createAppTransport, NOW, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

const run = async (line: string, wrap = (transport: Transport): Transport => transport) => {
  const paths: string[] = [];
  const transport = wrap(createAppTransport(service.app));
  const result = await runCli(line.split(" "), {
    ...{ service, clock: { now: NOW }, tty: !line.includes("--json") },
    transport: (request) => {
      paths.push(new URL(request.url).pathname);
      return transport(request);
    },
  });
  return { ...result, paths };
};
const ask = async <T>(line: string): Promise<T> => JSON.parse((await run(`${line} --json`)).out);

describe("of one game", () => {
  it("answers on one screen, with what to fix first and the sessions to watch", async () => {
    const { out, code, paths } = await run("status --game ember");
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(25);
    expect(lines[0]).toMatch(/^✗ ember 0\.9\.0 vs 0\.8\.0: worse in \d+ ways, better in \d+$/);
    expect(lines[1]).toMatch(/^ {2}production · \d+ testers, \d+ sessions, last .*ago$/);
    expect(out).toMatch(/1 {2}Difficulty spike in furnace +\d+ of \d+ who entered/);
    expect(out).toMatch(/sess_[0-9a-f]{8} at \d+:\d\d/);
    expect(out.replace(/\s+/g, " ")).toMatch(/all builds: \d+ sessions in 7 days/);
    expect(lines.at(-1)).toBe("  All problems: playtest insights list --by tag --game ember");
    expect(paths).toEqual(["/api/v1/games", "/api/v1/status/ember"]);
  });

  it("has the figures of the commands about them", async () => {
    const status = await ask<Status>("status --game ember");
    const [answer] = (await run("builds compare previous latest --game ember")).out.split("\n");
    expect(answer).toContain(status.verdict?.answer);
    const { out } = await run("status --game ember");
    const outcomes = /shared rooms completed \d+% → \d+%/;
    expect(outcomes.exec(out)?.[0]).toBe(outcomes.exec((await run("builds compare --game ember")).out)?.[0]);
    const { rooms } = await ask<BuildDropoff>("builds dropoff latest --game ember");
    const [most] = rooms;
    expect(status.mostQuit).toEqual({ room: most?.room, quit: most?.quit, entered: most?.entered });
    const { suggestions } = await ask<BuildSuggestions>("builds suggestions latest --game ember");
    expect(suggestions.slice(0, 3).map(({ sessions }) => sessions)).toEqual(
      status.fixFirst.map(({ sessions }) => sessions),
    );
    for (const [at, { testers, outOf }] of status.fixFirst.entries())
      expect(suggestions[at]?.rationale).toContain(`${testers} of ${outOf} testers`);
  });

  it("names the moment of a quit: the active time until the session ended", async () => {
    const { fixFirst } = await ask<Status>("status --game ember");
    const quit = fixFirst.find(({ id }) => id === "quit:furnace");
    expect(quit?.sessions.length).toBeGreaterThan(0);
    for (const { sessionId, activeSec } of quit?.sessions ?? []) {
      const { items } = await ask<{ items: { name: string; timestamp: number }[] }>(
        `sessions events ${sessionId} --all`,
      );
      let [playedMs, isAway] = [0, false];
      for (const [at, { name, timestamp }] of items.entries()) {
        const gap = timestamp - (items[at - 1]?.timestamp ?? timestamp);
        playedMs += isAway ? 0 : Math.min(gap, 60_000);
        isAway = name === "focus_lost" || (isAway && name !== "focus_gained");
      }
      expect(activeSec).toBeCloseTo(playedMs / 1000, 3);
    }
  });

  it.each(["ember", "tidepool"])("names the room of %s in which most quit as the game does", async (game) => {
    const { mostQuit } = await ask<Status>(`status --game ${game}`);
    const { rooms } = await ask<BuildDropoff>(`builds dropoff latest --game ${game}`);
    expect(mostQuit?.room).toBe(rooms[0]?.room);
  });

  it("shows an earlier build by its name or place", async () => {
    const { out } = await run("status --game ember --build previous");
    expect(out).toMatch(/^. ember 0\.8\.0 vs 0\.7\.5: /);
    const first = await ask<Status>("status --game ember --build 0.7.5");
    expect(first.verdict).toBeNull();
    expect(first.build).toMatchObject({ version: "0.7.5", testers: 150 });
    const unknown = await run("status --game ember --build 7");
    expect([unknown.code, unknown.err]).toEqual([44, expect.stringContaining("No build 7 in ember")]);
  });

  it("is about the only environment that was played in, and says if there is no build", async () => {
    const { out } = await run("status --game ember --env staging");
    expect(out).toContain("no build before it in staging");
    expect(out).toContain("--env staging");
    const other = await run("status --game ember --build 0.7.5 --env staging");
    expect(other.out).toContain("no build was played in staging");
    const never = await run("status --game ember --env nowhere");
    expect(never.code).toBe(44);
  });
});

it("has one line for each of several games", async () => {
  const { out } = await run("status");
  const lines = out.trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  expect(out).toMatch(/ember 0\.9\.0 vs 0\.8\.0: worse/);
});

it("asks for the game of a build, and leaves out games that were not played in an environment", async () => {
  const build = await run("status --build 0.8.0");
  expect([build.code, build.err]).toEqual([2, expect.stringContaining("No game specified")]);
  const { out, code } = await run("status --env staging");
  expect([code, out.trimEnd().split("\n")]).toEqual([0, [expect.stringContaining("ember 0.9.0")]]);
});

it("shows what the API document has if the service announces nothing", async () => {
  const { out, code, paths } = await run("status --game ember", withoutExtensions);
  expect(code).toBe(0);
  expect(out).toMatch(/^= ember 0\.9\.0 vs 0\.8\.0: not tested\n/);
  expect(out).toContain("Which problems testers met is not known: this service does not count them.");
  expect(out.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
  expect(paths.filter((path) => /\/(status|scorecards)\/|\/facts$/.test(path))).toEqual([]);
});
