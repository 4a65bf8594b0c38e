/** The version of the rules: it must be raised whenever the findings for stored events change. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { listFactsVersions, SAME_FACTS } from "../../../src/scorecard/analysis-versions.ts";
import { analyze } from "../../../src/server/analysis/analyst.ts";
import { readSessionOutcomes } from "../../../src/server/analysis/player-outcomes.ts";
import type { RecordedSession } from "../../../src/server/analysis/recorded-session.ts";
import { readPlay } from "../../../src/server/analysis/session-play.ts";
import { dividePlayers } from "../../../src/server/analysis/session-players.ts";
import { ANALYSIS_VERSION } from "../../../src/server/analysis/version.ts";
import { createRandom } from "../../random.ts";
import { type Step, toRecordedSession } from "./recorded-sessions.ts";

/**
 * The digest of what each version finds in the generated sessions. If the test fails after a change of the rules, raise
 * ANALYSIS_VERSION and add a line. Do not change the line of a version that was released.
 */
const DIGESTS: Readonly<Record<number, string>> = {
  2: "47cfb1928a6c20a4",
  3: "aeb8ac23d96e00c7",
  4: "aeb8ac23d96e00c7",
  // Only sessions with long steps between events, which the generated ones do not have.
  5: "aeb8ac23d96e00c7",
  // Only adds the performance of the game.
  6: "aeb8ac23d96e00c7",
  // Only the rooms of several players on one device.
  7: "aeb8ac23d96e00c7",
  // The findings about several players on one device, whose sessions the digests of earlier versions leave out.
  8: "c223167ee20008c4",
  // Only more than 100 rooms of a session.
  9: "c223167ee20008c4",
};

const SESSIONS = 400;
const SHARED_SESSIONS = 200;
const names = [
  ...["begin", "fail", "fail", "succeed", "complete", "skip_button", "reset", "death", "game_over", "quit"],
  ...["level_started", "level_completed", "level_failed", "rage_quit", "fps_drop", "application_error"],
  ...[
    "crash_reported",
    "idle_start",
    "idle_end",
    "focus_lost",
    "focus_gained",
    "press",
    "press",
    "player_pos",
  ],
];
const sentences = [
  "I love this.",
  "I hate the lava!",
  "Where do I go?",
  "I am lost.",
  "A door.",
  "This is so unfair.",
];

/** Generates one session with every kind of event, at intervals from 10 ms to 2 minutes. */
function createSession(random: () => number) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const own = Array.from({ length: 2 + Math.floor(random() * 5) }, () => pick(names));
  let seconds = 0;
  let room = 1;
  const steps = Array.from({ length: Math.floor(random() * 60) }, (): Step => {
    seconds += pick([0.01, 0.5, 2, 2, 10, 40, 120]);
    if (random() < 0.1) room = 1 + Math.floor(random() * 3);
    const place = random() < 0.9 ? `level-${room}` : undefined;
    const data = {
      x: Math.floor(random() * 50),
      y: Math.floor(random() * 50),
      fps: Math.floor(random() * 40),
    };
    return [seconds, random() < 0.8 ? pick(own) : pick(names), place, data];
  });
  const value = String(1 + Math.floor(random() * 5));
  const usual = { medianMs: 20_000, sessions: 10, build: "1.0", environment: "production" };
  return toRecordedSession(steps, {
    feedback:
      random() < 0.2
        ? [{ id: "resp_1", fieldId: "fun", label: "Fun?", kind: "rating-1-5", value }]
        : [{ id: "resp_2", fieldId: "why", label: "Why?", kind: "long-text", value: pick(sentences) }],
    transcript: random() < 0.1 ? [pick(sentences), pick(sentences), pick(sentences)].join(" ") : null,
    usualRoomTimes: new Map([1, 2, 3].map((level) => [`level-${level}`, usual])),
    reportedCrashes:
      random() < 0.05
        ? [{ sessionId: "sess_2", event: { id: "c", name: "crash_reported", timestamp: 1, data: null } }]
        : [],
  });
}

/** Generates one session of three players, some of whose events name no player. */
function createSharedSession(random: () => number): RecordedSession {
  const session = createSession(random);
  const events = session.events.map((event) => {
    const player = ["p1", "p2", "p3", undefined][Math.floor(random() * 4)];
    return { ...event, data: { ...event.data, player } };
  });
  return { ...session, events };
}

/** What the rules find, without the words: those may change within a version. */
function digestFindings(): { digest: string; types: Set<string> } {
  const random = createRandom(18);
  const hash = createHash("sha256");
  const types = new Set<string>();
  for (let n = 0; n < SESSIONS + SHARED_SESSIONS; n += 1) {
    const session = n < SESSIONS ? createSession(random) : createSharedSession(random);
    for (const { type, sentiment, confidence, tag, claims = [], afterMs } of analyze(session)) {
      types.add(tag.slice(0, tag.indexOf(":")));
      hash.update(JSON.stringify([n, type, sentiment, confidence, tag, claims, afterMs]));
    }
    const play = readPlay(session);
    const outcomes = readSessionOutcomes(play, dividePlayers(session, play), { hasCrashed: n % 10 === 0 });
    hash.update(JSON.stringify(outcomes));
  }
  return { digest: hash.digest("hex").slice(0, 16), types };
}

it("has the same facts as an earlier one only if it finds the same", () => {
  for (const [version, earlier] of Object.entries(SAME_FACTS))
    expect([version, DIGESTS[Number(version)]]).toEqual([version, DIGESTS[earlier]]);
  expect([listFactsVersions([4, 3, 4]), listFactsVersions([4, 2]), listFactsVersions([6, 5, 4])]).toEqual([
    ...[[3], [2, 3], [3, 5]],
  ]);
});

it("has a new number whenever the findings change", () => {
  const { digest, types } = digestFindings();
  // The sessions are only useful if every rule finds something in them.
  expect([...types].sort()).toEqual([
    ...["bug-report", "confusion", "difficulty-spike", "negative-moment", "pacing-issue", "positive-moment"],
    ...["praise", "session-summary", "stuck-point"],
  ]);
  expect({ version: ANALYSIS_VERSION, digest }).toEqual({
    ...{ version: ANALYSIS_VERSION, digest: DIGESTS[ANALYSIS_VERSION] },
  });
});
