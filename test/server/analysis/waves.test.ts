/** Real data: findings in the recorded sessions of a puzzle game, if that data is available next to the project. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { analyze } from "../../../src/server/analysis/analyst.ts";
import { defaultMeanings } from "../../../src/server/analysis/meanings.ts";
import type { SessionEvent, SessionFinding } from "../../../src/server/analysis/recorded-session.ts";
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
  return [...sessions.values()].map(({ build, events }) => {
    events.sort((a, b) => a.timestamp - b.timestamp);
    const snapshot = events.findLast(({ name }) => name === "session_summary")?.data ?? null;
    return { build, findings: analyze({ events, meanings: defaultMeanings, snapshot, ended: true }) };
  });
}

describe.runIf(existsSync(file))("over the recorded puzzle game", () => {
  const sessions = existsSync(file) ? analyzeFile() : [];
  const withTag = (tag: string, build?: string) =>
    sessions.filter(
      (one) => (build ?? one.build) === one.build && one.findings.some((found) => found.tag === tag),
    );

  it("returns valid findings for all 49 sessions", () => {
    expect(sessions).toHaveLength(49);
    for (const { findings } of sessions) for (const finding of findings) expectValid(finding);
  });

  it("finds the spike at level-09 in both builds", () => {
    expect(withTag("difficulty-spike:level-09", "4.0-early")).toHaveLength(5);
    expect(withTag("difficulty-spike:level-09", "4.0-late")).toHaveLength(2);
  });

  it("finds no other spike in as many sessions", () => {
    const tags = new Set(sessions.flatMap(({ findings }) => findings.map(({ tag }) => tag)));
    const others = [...tags].filter(
      (tag) => tag.startsWith("difficulty-spike:") && !tag.endsWith("level-09"),
    );
    expect(Math.max(...others.map((tag) => withTag(tag).length))).toBe(5);
  });

  it("returns at most 10 findings per session, with spikes in a minority of rooms", () => {
    expect(Math.max(...sessions.map(({ findings }) => findings.length))).toBeLessThanOrEqual(10);
    const spikes = sessions.flatMap(({ findings }) =>
      findings.filter(({ type }) => type === "difficulty-spike"),
    );
    expect(spikes.length).toBeLessThan(sessions.length);
  });
});
