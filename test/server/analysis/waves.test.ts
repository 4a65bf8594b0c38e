/** Real data: findings in the recorded sessions of a puzzle game, if that data is available next to the project. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { analyze } from "../../../src/server/analysis/analyst.ts";
import { defaultMeanings } from "../../../src/server/analysis/meanings.ts";
import type {
  SessionEvent,
  SessionFinding,
  UsualRoomTime,
} from "../../../src/server/analysis/recorded-session.ts";
import { measureRoomTimes, type RoomTime } from "../../../src/server/analysis/rules/room-times.ts";
import { readPlay } from "../../../src/server/analysis/session-play.ts";
import { median } from "../../../src/statistics/averages.ts";
import { expectValid } from "./recorded-sessions.ts";

const file = fileURLToPath(new URL("../../../../shared/data/waves.ndjson.gz", import.meta.url));

interface Body {
  clientSessionId: string;
  sessionMetadata: { gameVersion: string };
  events: SessionEvent[];
}

/** The findings of each session with its build. A session can have several bodies. */
function analyzeFile(): { build: string; findings: SessionFinding[] }[] {
  const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n");
  const sessions = new Map<string, { build: string; events: SessionEvent[] }>();
  for (const line of lines) {
    const body: Body = JSON.parse(line);
    const known = sessions.get(body.clientSessionId) ?? {
      build: body.sessionMetadata.gameVersion,
      events: [],
    };
    known.events.push(...body.events);
    sessions.set(body.clientSessionId, known);
  }
  const recorded = [...sessions.values()].map(({ build, events }) => {
    events.sort((a, b) => a.timestamp - b.timestamp);
    const snapshot = events.findLast(({ name }) => name === "session_summary")?.data ?? null;
    return { build, session: { events, meanings: defaultMeanings, snapshot, ended: true } };
  });
  const times = recorded.map(({ build, session }) => ({ build, rooms: measureRoomTimes(readPlay(session)) }));
  return recorded.map(({ build, session }, at) => {
    const others = times.filter((other, index) => index !== at && other.build === "4.0-early");
    return {
      build,
      findings: analyze({ ...session, usualRoomTimes: readUsualTimes(others.map(({ rooms }) => rooms)) }),
    };
  });
}

/** The median time in each room that at least 5 sessions of the earlier build entered. */
function readUsualTimes(sessions: readonly ReadonlyMap<string, RoomTime>[]): Map<string, UsualRoomTime> {
  const byRoom = new Map<string, number[]>();
  for (const rooms of sessions) {
    for (const [room, { ms }] of rooms) byRoom.set(room, [...(byRoom.get(room) ?? []), ms]);
  }
  const named = { build: "4.0-early", environment: "production" };
  return new Map(
    [...byRoom]
      .filter(([, times]) => times.length >= 5)
      .map(([room, times]) => [room, { ...named, sessions: times.length, medianMs: median(times) }]),
  );
}

describe.runIf(existsSync(file))("over the recorded puzzle game", () => {
  const sessions = existsSync(file) ? analyzeFile() : [];
  const findings = sessions.flatMap((session) => session.findings);
  const ofType = (type: SessionFinding["type"]) => findings.filter((found) => found.type === type);

  it("returns valid findings for all 49 sessions", () => {
    expect(sessions).toHaveLength(49);
    for (const found of findings) expectValid(found);
  });

  it("counts 12 failures among 1,247 events that report a failed state", () => {
    const failures = ofType("session-summary").map(({ claims }) =>
      claims.flatMap((claim) => (claim.kind === "summary" ? claim.failures : [])),
    );
    expect(failures.flat().reduce((total, count) => total + count, 0)).toBe(12);
  });

  it("finds no row of failures", () => {
    expect(findings.filter(({ claims }) => claims.some(({ kind }) => kind === "in-a-row"))).toEqual([]);
  });

  it("finds problems in rooms, also in level-09", () => {
    const tags = findings.filter(({ sentiment }) => sentiment === "negative").map(({ tag }) => tag);
    expect(tags.filter((tag) => tag.startsWith("stuck-point:"))).toHaveLength(8);
    expect(tags.filter((tag) => tag === "stuck-point:level-09")).toHaveLength(2);
    expect(tags.filter((tag) => tag.startsWith("negative-moment:"))).toHaveLength(6);
    expect(tags.filter((tag) => tag.startsWith("difficulty-spike:"))).toEqual(["difficulty-spike:level-33"]);
  });

  it("returns at most 10 findings per session, none of them strong", () => {
    expect(Math.max(...sessions.map((session) => session.findings.length))).toBeLessThanOrEqual(10);
    const strengths = findings
      .filter(({ type }) => type !== "session-summary")
      .map(({ confidence }) => confidence);
    expect(Math.max(...strengths)).toBeLessThanOrEqual(0.6);
  });
});
