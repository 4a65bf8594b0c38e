/** Drop-off, funnels, trends and retention over the API, from stored events. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS } from "../../../src/shared/time-units.ts";
import { NOW, runCli, startTestService, type TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

/** An event as `name@room`, or only a name. One second apart. */
interface Play {
  readonly build?: string;
  readonly device?: string | null;
  readonly environment?: string;
  /** Start, ms after NOW. */
  readonly at: number;
  readonly events: string;
  readonly open?: boolean;
}

let service: TestService;
let sessions = 0;

async function play({ build = "1", device = null, environment = "production", ...rest }: Play) {
  sessions += 1;
  const events = rest.events.split(" ").map((text, n) => {
    const [name = "", room] = text.split("@");
    const timestamp = NOW + rest.at + n * 1000;
    return { id: `e${n}`, name, timestamp, ...(room === undefined ? {} : { data: { room, x: n, y: 1 } }) };
  });
  await sendTelemetry(service, {
    ...{ gameId: "maze", environment, events, startedAt: NOW + rest.at },
    clientSessionId: `s${sessions}`,
    sessionEnded: rest.open !== true,
    sessionMetadata: { gameVersion: build },
    ...(device === null ? {} : { deviceId: device }),
  });
}

const read = async (path: string) => {
  const answer = await service.get(`/api/v1/${path}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json;
};
const refuse = async (path: string) => {
  const { status, json } = await service.get(`/api/v1/${path}`);
  return [status, json.reason, json.error];
};

beforeAll(async () => {
  service = await startTestService({ dependencies: { now: () => NOW } });
  await service.addGame("maze");
  const ago = (days: number) => -days * DAY_MS;
  // Six testers quit in the pit; they all came through the hall.
  for (let n = 0; n < 6; n += 1)
    await play({
      device: `quit-${n}`,
      at: ago(5) + n * 60_000,
      events: "level_start@hall complete@hall player_death@pit jump@pit player_pos@pit session_heartbeat",
    });
  // Eight testers complete the hall and end there.
  for (let n = 0; n < 8; n += 1)
    await play({
      device: `done-${n}`,
      at: ago(5) + n * 70_000,
      events: "level_start@hall jump@hall complete@hall",
    });
  await play({
    device: "crashed",
    at: ago(5),
    events: "level_start@hall complete@hall jump@pit crash_reported@pit",
  });
  // This tester quits in the pit but comes back on the next day, in another build.
  await play({ device: "back", at: ago(4), events: "level_start@hall complete@hall jump@pit" });
  await play({ device: "back", build: "2", at: ago(3), events: "jump@hall complete@hall" });
  await play({ at: ago(4), events: "menu" });
  await play({ device: "open", at: -60_000, events: "jump@pit", open: true });
  await play({ device: "new", build: "2", at: -3_600_000, events: "a,b@hall" });
  await play({ device: "new", build: "2", environment: "staging", at: -1000, events: "jump@attic" });
  await service.analysis.drain();
});

afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

describe("GET /api/v1/builds/{game}/{version}/dropoff", () => {
  it("has the counts of the scorecard", async () => {
    const { rooms, sessions, testers, hasTimedSessions } = await read("builds/maze/1/dropoff");
    const { a, rows } = await read("scorecards/maze?a=1&b=1");
    const find = (metric: string) => rows.find((row: { metric: string }) => row.metric === metric).a;
    expect([sessions, hasTimedSessions]).toEqual([a.sessions, true]);
    expect([testers, a.anonymousSessions]).toEqual([a.testers, 1]);
    expect(
      rooms.map(({ room, entered, completed, quit }: never) => [room, entered, completed, quit]),
    ).toEqual(
      ["pit", "hall"].map((room) => [
        ...[room, find(`quit:${room}`).total, find(`completion:${room}`).count, find(`quit:${room}`).count],
      ]),
    );
    expect(rooms).toMatchObject([
      { entered: 8, completed: 0, quit: 7 },
      { entered: 16, quit: 0 },
    ]);
  });

  it("has the interval of each share, and the time that those who quit had played there", async () => {
    const [pit, hall] = (await read("builds/maze/1/dropoff")).rooms;
    expect(pit).toMatchObject({ quitShare: 7 / 8, medianActiveSec: 3 });
    expect(pit.interval.low).toBeCloseTo(0.529, 3);
    expect(pit.interval.high).toBeCloseTo(0.978, 3);
    expect(hall.medianActiveSec).toBeNull();
  });

  it("reports an unknown build and an unknown environment", async () => {
    expect(await refuse("builds/maze/9/dropoff")).toEqual([404, undefined, "Not found"]);
    expect(await refuse("builds/maze/1/dropoff?env=nope")).toEqual([
      404,
      "unknown_environment",
      'Environment "nope" not found: the game has sessions in "production", "staging"',
    ]);
  });
});

describe("GET /api/v1/funnels/{game}", () => {
  it("counts testers in the order of the steps, with losses", async () => {
    const { groups, by } = await read("funnels/maze?steps=level_start,room:pit,player_death&build=1");
    expect(by).toBeNull();
    expect(groups[0].testers).toBe(18);
    expect(
      groups[0].steps.map(({ step, testers, lost, medianSec }: never) => [step, testers, lost, medianSec]),
    ).toEqual([
      ["level_start", 16, 0, null],
      ["room:pit", 8, 8, 2],
      // The death is the event that enters the pit.
      ["player_death", 6, 2, 0],
    ]);
  });

  it("follows a tester through their sessions, and starts over in each build", async () => {
    const path = "funnels/maze?steps=room:pit,complete";
    const all = (await read(path)).groups[0].steps.map(({ testers }: never) => testers);
    expect(all).toEqual([9, 1]);
    const byBuild = (await read(`${path}&by=build`)).groups;
    expect(
      byBuild.map(({ key, steps }: never) => [key, (steps as { testers: number }[]).map((s) => s.testers)]),
    ).toEqual([
      ["1", [9, 0]],
      ["2", [0, 0]],
    ]);
  });

  it("counts a tester of several builds once in the total", async () => {
    const together = (await read("funnels/maze?steps=jump")).testers;
    expect((await read("funnels/maze?steps=jump&by=build")).testers).toEqual(together);
  });

  it("accepts a comma in the name of an event", async () => {
    const { groups } = await read(`funnels/maze?steps=${encodeURIComponent("a\\,b")}`);
    expect(groups[0].steps[0]).toMatchObject({ step: "a,b", testers: 1 });
  });

  it("reports unknown events and rooms with similar names", async () => {
    expect(await refuse("funnels/maze?steps=jumpp")).toEqual([
      404,
      "unknown_event",
      expect.stringContaining(
        'Event "jumpp" not found in production. The most similar of 9 event names there: "jump"',
      ),
    ]);
    expect(await refuse("funnels/maze?steps=room:attic")).toEqual([
      404,
      "unknown_room",
      'Room "attic" not found in production. The most similar of 2 rooms there: "pit", "hall"',
    ]);
    const tooMany = Array.from({ length: 21 }, () => "jump").join(",");
    expect((await refuse(`funnels/maze?steps=${tooMany}`))[0]).toBe(400);
    expect((await refuse("funnels/maze?steps=jump,,jump"))[0]).toBe(400);
  });
});

describe("GET /api/v1/trends/{game}", () => {
  it("has the counts of the scorecard for each of its rows", async () => {
    const builds = ["1", "2"];
    const scorecards = [];
    for (const build of builds) scorecards.push(await read(`scorecards/maze?a=${build}&b=${build}`));
    const ids = new Set(scorecards.flatMap(({ rows }) => rows.map(({ metric }: never) => metric)));
    expect([...ids]).toEqual(expect.arrayContaining(["quit:pit", "completion:hall", "crash"]));
    for (const id of ids) {
      const { points } = await read(`trends/maze?tag=${encodeURIComponent(id)}`);
      for (const [at, { rows }] of scorecards.entries()) {
        const row = rows.find(({ metric }: never) => metric === id);
        if (row === undefined) continue;
        const { build, counted, withTag, value } = points[at];
        expect([id, build, counted, withTag, value]).toEqual([
          ...[id, builds[at], row.a.total, row.a.count, row.a.value],
        ]);
      }
    }
  });

  it("shows metrics in the order in which the builds were played", async () => {
    const { points, metric } = await read("trends/maze");
    expect(metric).toBe("crash-free");
    expect(points.map(({ build, counted, withTag }: never) => [build, counted, withTag])).toEqual([
      ["1", 18, 17],
      ["2", 2, 2],
    ]);
    expect((await read("trends/maze?last=1")).points.map(({ build }: never) => build)).toEqual(["2"]);
    const length = await read("trends/maze?metric=session-length");
    expect(length).toMatchObject({ unit: "seconds", points: [{ counted: 18, withTag: null }, {}] });
  });

  it("reports a tag or a room that no build has", async () => {
    expect(await refuse("trends/maze?tag=quit:pitt")).toEqual([
      404,
      "unknown_tag",
      'Row "quit:pitt" not found: none of the last 2 builds has it in production. The most similar of 2 rows there: "quit:pit", "quit:hall"',
    ]);
    expect(await refuse("trends/maze?tag=stuck-point:hall")).toEqual([
      404,
      "unknown_tag",
      expect.stringContaining(
        'Friction tag "stuck-point:hall" not found: none of the last 2 builds has it in production.',
      ),
    ]);
  });
});

describe("GET /api/v1/retention/{game}", () => {
  it("counts returns by the build of the first session, and leaves open what is not known yet", async () => {
    const { cohorts, withoutDevice } = await read("retention/maze");
    expect(withoutDevice).toBe(1);
    expect(
      cohorts.map(({ build, testers, days }: never) => [
        build,
        testers,
        (days as { eligible: number; retained: number; rate: number | null }[]).map((d) => [
          d.retained,
          d.eligible,
          d.rate,
        ]),
      ]),
    ).toEqual([
      [
        "1",
        17,
        [
          [1, 16, 1 / 16],
          [0, 16, 0],
          [0, 0, null],
        ],
      ],
      [
        "2",
        1,
        [
          [0, 0, null],
          [0, 0, null],
          [0, 0, null],
        ],
      ],
    ]);
    const { points } = await read("trends/maze?metric=day-1");
    expect(points.map(({ withTag, counted, value }: never) => [withTag, counted, value])).toEqual([
      [1, 16, 1 / 16],
      [0, 0, null],
    ]);
  });
});

describe("the commands", () => {
  const run = async (line: string) => await runCli(line.split(" "), { service, tty: true });

  it("builds dropoff names the room in which most quit, and what is left out", async () => {
    const { out, code } = await run("builds dropoff 1 -g maze");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /maze 1, production: 16 testers\. Most quit in pit: 7 of 8 who entered it\.[\s\S]*Left out: 1 session not ended/i,
      ),
    ]);
  });

  it("builds trend, testers retention and funnel show intervals", async () => {
    expect((await run("builds trend -g maze")).out).toMatch(/1 {2,}94\.4% \(74\.2% to 99\.0%\)/);
    expect((await run("testers retention -g maze")).out).toMatch(/2 {2,}- {2,}not known yet/);
    expect((await run("funnel level_start room:pit -g maze --build 1")).out).toMatch(
      /room:pit {2,}8 +8 +50%/,
    );
  });

  it("builds blame says what could have been noticed, with exit code 0", async () => {
    const { out, code } = await run("builds blame bug-report:pit -g maze");
    expect([code, out]).toEqual([0, expect.stringContaining("cannot be compared")]);
    expect(out).toContain("Left out: 2 (2 testers with a device ID; at least 5 are required).");
  });

  it("builds blame compares quits, and refuses what cannot rise for the worse", async () => {
    expect((await run("builds blame quit:pit -g maze")).out).toContain("Quit in pit cannot be compared");
    const { code, err } = await run("builds blame completion:pit -g maze");
    expect([code, err]).toEqual([2, expect.stringContaining("playtest builds trend --tag completion:pit")]);
  });

  it("unknown names are errors with a hint", async () => {
    for (const [line, hint] of [
      ["funnel jumpp -g maze", "playtest events --game maze"],
      ["builds trend --tag x:y -g maze", "look further back with --last"],
      ["builds blame x:y -g maze", "look further back with --last"],
      ["testers retention -g maze --env nope", "--env all"],
    ] as const) {
      const { code, err } = await run(line);
      expect([line, code, err]).toEqual([line, 44, expect.stringContaining(hint)]);
    }
  });
});
