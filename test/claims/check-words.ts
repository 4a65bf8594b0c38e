/** Checks that the words of an insight agree with its claims: each number, duration, event id and statement needs one. */
import type { Claim } from "../../src/contract/claims.ts";
import type { InsightWithClaims } from "../../src/contract/insights.ts";
import { SESSION, type Timeline } from "./definitions.ts";
import type { CheckedSession, Recording } from "./sessions.ts";

type ClaimOf<K extends Claim["kind"]> = Extract<Claim, { kind: K }>;

/** The claims of an insight. */
class Claims {
  readonly all: readonly Claim[];

  constructor(all: readonly Claim[]) {
    this.all = all;
  }

  of<K extends Claim["kind"]>(kind: K): ClaimOf<K>[] {
    return this.all.filter((claim): claim is ClaimOf<K> => claim.kind === kind);
  }

  /** All event ids of the claims. */
  get ids(): string[] {
    return this.all.flatMap((claim) =>
      Object.entries(claim).flatMap(([key, value]) => {
        if (key === "ids") return Array.isArray(value) ? value.map(String) : [];
        const isId = ["from", "to", "at", "until", "entered", "success"].includes(key);
        return isId && typeof value === "string" ? [value] : [];
      }),
    );
  }

  /** All durations of the claims, ms. */
  get durations(): number[] {
    return this.all.flatMap((claim) => {
      if (claim.kind === "usual-time") return [claim.medianMs];
      if (claim.kind === "summary") return [claim.activeMs, claim.wallMs];
      return "ms" in claim ? [claim.ms] : [];
    });
  }
}

/** Words as people read them: `8s`, `4m 10s`, `30m`, `2h 5m`. */
export function describeDuration(ms: number): string {
  const total = Math.round(ms / 1000);
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  if (total < 60) return `${seconds}s`;
  if (total < 3600) return seconds === 0 ? `${minutes}m` : `${minutes}m ${seconds}s`;
  return minutes === 0 ? `${hours}h` : `${hours}h ${minutes}m`;
}

const DURATION = /\b(\d+h(?: \d+m)?|\d+m(?: \d+s)?|\d+s)\b/g;
const MAX_LISTED_IDS = 10;

/** `once` as a count, so that it can be checked like one. */
const spellOut = (text: string) => text.replace(/\b(failed|restarted) once\b/gi, "$1 1 time");

/** Counts in words, and the claims that can carry them. The first group is the number. */
const COUNTS: ReadonlyArray<readonly [RegExp, (claims: Claims) => readonly number[]]> = [
  [/\bFailed (\d+) times?(?= in a row)/g, (claims) => claims.of("in-a-row").map(({ count }) => count)],
  [/\b(\d+) failures(?=(?: in ROOM)? within)/g, (claims) => claims.of("in-a-row").map(({ count }) => count)],
  [
    /\b(\d+) failures(?=(?: in ROOM)? in total)/g,
    (claims) =>
      claims
        .of("failures")
        .filter(({ from, to }) => from === null && to === null)
        .map(({ count }) => count),
  ],
  [/\bFailed (\d+) times?\b/g, (claims) => claims.of("failures").map(({ count }) => count)],
  [
    /\b(\d+) failures?\b/g,
    (claims) => [
      ...claims.of("failures").map(({ count }) => count),
      ...claims.of("summary").map(({ failures }) => failures),
    ],
  ],
  [/\b(\d+) in\b/g, (claims) => claims.of("failures").map(({ count }) => count)],
  [/\b[Rr]estarted (\d+) times?\b/g, (claims) => claims.of("resets").map(({ count }) => count)],
  [/\b(\d+) restarts?\b/g, (claims) => claims.of("resets").map(({ count }) => count)],
  [/\b(\d+) with a success\b/g, (claims) => claims.of("summary").map(({ roomsCompleted }) => roomsCompleted)],
  [
    /\bsuccess in (\d+) rooms?\b/g,
    (claims) => claims.of("summary").map(({ roomsCompleted }) => roomsCompleted),
  ],
  [/\b(\d+) success(?:es)?\b/g, (claims) => claims.of("successes").map(({ count }) => count)],
  [/(?<!\bsuccess in )\b(\d+) rooms?\b/g, (claims) => claims.of("summary").map(({ rooms }) => rooms)],
  [/\b(\d+) events?\b/g, (claims) => claims.of("summary").map(({ events }) => events)],
  [/\b(\d+) sessions?\b/g, (claims) => claims.of("usual-time").map(({ sessions }) => sessions)],
  [/\b(\d+) crash(?:es)?\b/g, (claims) => claims.of("bugs").map(({ crashes }) => crashes)],
  [/\b(\d+) errors?\b/g, (claims) => claims.of("bugs").map(({ errors }) => errors)],
  [/\b(\d+) (?:frame rate )?drops?\b/g, (claims) => claims.of("frame-drops").map(({ count }) => count)],
  [/\b(\d+) fps\b/g, (claims) => claims.of("frame-drops").flatMap(({ lowestFps }) => lowestFps ?? [])],
  [/\b(\d+) (?:inputs?|other events)\b/g, (claims) => claims.of("still").map(({ inputs }) => inputs)],
  [/\bRated (\d+) of 5\b/g, (claims) => claims.of("rating").map(({ value }) => value)],
];

/** Statements without a number, and the claims that make them true. */
const STATEMENTS: ReadonlyArray<readonly [RegExp, (claims: Claims, timeline: Timeline) => boolean]> = [
  [
    /\bin a row\b|\bno success, restart or other room in between\b/,
    (claims) => {
      const [row] = claims.of("in-a-row");
      return row !== undefined && claims.of("failures").some(({ ids }) => ids.join() === row.ids.join());
    },
  ],
  [/: no success\b/, (claims) => claims.of("summary").some(({ roomsCompleted }) => roomsCompleted === 0)],
  [
    /\bwithout a success\b|\bwithout completing it(?! again)/,
    (claims, timeline) =>
      claims.of("successes").some((claim) => claim.count === 0 && spansRoom(claim, timeline)),
  ],
  [
    /\bwithout (?:another success|completing it again)\b/,
    (claims, timeline) =>
      claims.of("successes").some(({ count, room, from, to }) => {
        const start = from === null ? null : timeline.indexOf(from);
        return (
          count === 0 &&
          room !== null &&
          to === null &&
          start !== null &&
          timeline.successes(room).some((at) => at < start)
        );
      }),
  ],
  [
    /\bbefore the first success\b/,
    (claims, timeline) =>
      claims.of("successes").some((claim) => {
        const [first] = claim.room === null ? [] : timeline.successes(claim.room);
        return (
          first !== undefined &&
          claim.count === 1 &&
          claim.from === null &&
          claim.ids[0] === timeline.idOf(first)
        );
      }),
  ],
  [/\bbefore the next success\b/, (claims) => claims.of("successes").some(({ count }) => count === 1)],
  [
    /\bon the first try in this session\b|\bwith no failure or restart before it\b/,
    (claims) => claims.of("first-try").length > 0,
  ],
  [
    /\bThe session ended\b|\bthe player does not play on\b|\bplay ends\b|\bStopped playing\b|; ended\b/,
    (claims) => claims.of("end").length > 0,
  ],
  [
    /\bthe player does not play on\b/,
    (claims) =>
      claims
        .of("interval")
        .every(({ from, to }) => from === to && claims.of("end").some(({ at }) => at === to)),
  ],
  [
    /^Left\b|\bnext room\b|\bwent to\b/,
    (claims) => claims.of("left").some(({ nextRoom }) => nextRoom !== null),
  ],
  [/^Quit\b|^Rage-quit\b|^Skipped\b|^Gave up\b/, (claims) => claims.of("events").length > 0],
  [/\bIdle for\b|\bno input for\b/, (claims) => claims.of("idle").length > 0],
  [/\b[Ii]n one spot\b/, (claims) => claims.of("still").length > 0],
  [/\bthe median\b/, (claims) => claims.of("usual-time").length > 0],
];

/** Whether a claim covers the whole time in its room. */
function spansRoom(
  { room, from, to }: { room: string | null; from: string | null; to: string | null },
  timeline: Timeline,
): boolean {
  if (room === null || to !== null) return false;
  const [first] = timeline.visitsOf(room);
  return from === null || (first !== undefined && (timeline.indexOf(from) ?? Infinity) <= first.first);
}

/** Returns the statements of an insight that no claim supports. */
export function findUnclaimedWords(
  insight: InsightWithClaims,
  all: readonly Claim[],
  session: CheckedSession,
  recording: Recording,
): string[] {
  const { timeline } = session;
  const claims = new Claims(all);
  const rooms = [...timeline.rooms, SESSION].sort((a, b) => b.length - a.length);
  return [insight.title ?? "", insight.evidence].flatMap((text) => {
    const [statement, listed] = splitEventList(text);
    const [words, falsehoods] = checkCrashReports(statement, session, recording);
    return [
      ...falsehoods.map((words) => `"${words}" did not happen in "${text}"`),
      ...checkEventList(listed, claims).map((reason) => `${reason} in "${text}"`),
      ...checkText(words, insight, claims, timeline, rooms).map((reason) => `${reason} in "${text}"`),
    ];
  });
}

/** Splits `words: events 31, 35 and 9 more; other words` into the words and the lists of ids. */
function splitEventList(text: string): [string, string[]] {
  const match = /^(?<words>.*): (?<lists>events? [^:;]+)(?<others>;.*)?$/su.exec(text);
  const { words = text, lists = "", others = "" } = match?.groups ?? {};
  return [words + others, lists === "" ? [] : lists.split(/ after (?=events? )/)];
}

function checkEventList(lists: readonly string[], claims: Claims): string[] {
  return lists.flatMap((list) => {
    const match = /^events? (.*?)(?: and (\d+) more)?$/.exec(list);
    const ids = (match?.[1] ?? "").split(", ");
    const more = Number(match?.[2] ?? 0);
    const unknown = ids.filter((id) => !claims.ids.includes(id)).map((id) => `no claim for event ${id}`);
    if (more === 0) return unknown;
    const total = ids.length + more;
    const counts = claims.all.flatMap((claim) => ("ids" in claim ? claim.ids.length : []));
    const longest = claims.all.flatMap((claim) => ("count" in claim ? claim.count : []));
    const isListed = [...counts, ...longest, sum(longest)].some(
      (count) => total === count || total === count + 1,
    );
    return [
      ...unknown,
      ...(ids.length === MAX_LISTED_IDS && isListed ? [] : [`no claim for ${total} events`]),
    ];
  });
}

/** Checks and removes statements about crashes that are reported at the next start. They concern two sessions. */
function checkCrashReports(
  text: string,
  session: CheckedSession,
  recording: Recording,
): [words: string, falsehoods: string[]] {
  const falsehoods: string[] = [];
  const words = text
    .replace(/; ended with a crash, which a later session reported/, (match) => {
      if (recording.findReporters(session).length === 0) falsehoods.push(match);
      return "";
    })
    .replace(
      /; reported by (?:a later session|later sessions) of the same device \(([^)]*)\)/,
      (match, ids) => {
        const reporters = recording.findReporters(session).map(({ id }) => id);
        if (
          !String(ids)
            .split(/, | and /)
            .every((id) => reporters.includes(id))
        )
          falsehoods.push(match);
        return "";
      },
    )
    .replace(/; reported a crash of the earlier session (\S+)/, (match, id) => {
      const crashed = recording.sessions.find((other) => other.id === id);
      if (!crashed || !recording.findReporters(crashed).includes(session)) falsehoods.push(match);
      return "";
    });
  return [words, falsehoods];
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** Names in a text are replaced, because they may contain digits. Claims contain the room names. */
function maskNames(
  text: string,
  insight: InsightWithClaims,
  claims: Claims,
  rooms: readonly string[],
): string {
  let masked = text.replace(/“[^”]*”/g, "TEXT");
  if (insight.type === "bug-report" && claims.of("bugs").length > 0) masked = masked.replace(/: .*$/s, "");
  for (const { build, environment } of claims.of("usual-time")) {
    masked = masked.replace(`of build ${build}`, "BUILD").replace(`in ${environment}`, "ENVIRONMENT");
  }
  for (const room of rooms) {
    masked = masked.replace(
      // A word after a number is what is counted, as in "1 crash", even if a room has this name.
      new RegExp(`(?<![\\p{L}\\p{N}]|\\d )${escapePattern(room)}(?![\\p{L}\\p{N}])`, "gu"),
      "ROOM",
    );
  }
  return masked;
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

function checkText(
  text: string,
  insight: InsightWithClaims,
  claims: Claims,
  timeline: Timeline,
  rooms: readonly string[],
): string[] {
  const withoutThreshold = text.replace(/ \(threshold: [^)]*\)/, "");
  let masked = maskNames(spellOut(withoutThreshold), insight, claims, rooms);
  const reasons: string[] = [];
  const durations = new Set(claims.durations.map(describeDuration));
  masked = masked.replace(DURATION, (duration) => {
    if (!durations.has(duration)) reasons.push(`no claim for ${duration}`);
    return "DURATION";
  });
  for (const [pattern, valuesOf] of COUNTS) {
    masked = masked.replace(pattern, (words, number) => {
      if (!valuesOf(claims).includes(Number(number))) reasons.push(`no claim for "${words}"`);
      return "COUNT";
    });
  }
  if (/\d/.test(masked)) reasons.push(`a number without a known meaning ("${masked}")`);
  for (const [pattern, isClaimed] of STATEMENTS) {
    const [words] = pattern.exec(masked) ?? [];
    if (words !== undefined && !isClaimed(claims, timeline)) reasons.push(`no claim for "${words}"`);
  }
  return [...reasons, ...checkRelations(withoutThreshold, claims, timeline)];
}

/** Checks statements that relate events to each other. */
function checkRelations(text: string, claims: Claims, timeline: Timeline): string[] {
  const reasons: string[] = [];
  const require = (condition: boolean, words: string) => {
    if (!condition) reasons.push(`"${words}" is not what the claims say`);
  };
  const next = /(?:next room: |went to )(.+?)(?: (?:\d+h|\d+m|\d+s)\b.*)?$/.exec(text);
  if (next) require(claims.of("left").some(({ nextRoom }) => nextRoom === next[1]), next[0]);
  const after = /(\S+) after a (?<outcome>failure|success|crash)\b/.exec(text);
  const [end] = claims.of("end");
  if (after?.groups?.outcome === "failure") {
    const failures = new Set(claims.of("failures").flatMap(({ ids }) => ids.at(-1) ?? []));
    const ids = claims.of("interval").map(({ from }) => from);
    require(ids.some((id) => failures.has(id) || isOutcome(timeline, id, "failures")), after[0]);
  }
  if (after?.groups?.outcome === "success") {
    require(claims
      .of("interval")
      .some(({ from, to }) => isOutcome(timeline, from, "successes") && to === end?.at), after[0]);
  }
  if (/ended with a success/.test(text)) {
    require(claims
      .of("interval")
      .some(
        ({ from, to }) => isOutcome(timeline, from, "successes") && to === end?.at,
      ), "ended with a success");
  }
  const allIn = /\((?:all )?in ([^()]+)\)|\((\d+) in ([^()]+)\)/.exec(text);
  if (allIn) {
    const room = allIn[1] ?? allIn[3];
    const total = claims.of("summary")[0]?.failures;
    const count = allIn[2] === undefined ? total : Number(allIn[2]);
    require(claims.of("failures").some((claim) => claim.room === room && claim.count === count), allIn[0]);
  }
  const endedIn = /; ended (?:.* )?in ([^;]+)$/.exec(text);
  if (endedIn && end) {
    const outcomes = claims.of("interval").filter(({ to }) => to === end.at);
    const at = timeline.indexOf(after ? (outcomes[0]?.from ?? "") : end.at);
    require(at !== null && roomAt(timeline, at) === endedIn[1], endedIn[0]);
  }
  const endedWith = /; ended with (?!a )(\S+)/.exec(text);
  if (endedWith)
    require(claims.of("events").some(({ names }) => names.includes(endedWith[1] ?? "")), endedWith[0]);
  const acted = /^(\S+_\S+|quit) in /.exec(text);
  if (acted) require(claims.of("events").some(({ names }) => names.includes(acted[1] ?? "")), acted[0]);
  return reasons;
}

/** The room of the event, or of the last visit before it. */
function roomAt(timeline: Timeline, at: number): string {
  return timeline.namedRoom(at) ?? timeline.visitAt(at)?.room ?? SESSION;
}

function isOutcome(timeline: Timeline, id: string, kind: "failures" | "successes"): boolean {
  const at = timeline.indexOf(id);
  return at !== null && timeline[kind](null).includes(at);
}
