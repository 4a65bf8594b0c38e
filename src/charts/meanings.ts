/** What rows of the scorecard and tags mean, in the words that `explain` and the docs share. */
import { SESSION_SUMMARY } from "../contract/insights.ts";
import type { ScorecardRow } from "../scorecard/rows.ts";
import { ownValue } from "../shared/own-value.ts";
import { parseTag } from "../shared/tags.ts";

/** What a row or a tag counts. */
export interface Meaning {
  /** When a tester counts as affected, or what the value of a tester is. */
  readonly counts: string;
  /** Among which testers. */
  readonly among: string;
}

const ENTERED = "testers who entered the room";
const COULD_MEET = "testers who could meet it";
const ANSWERED = "testers who answered the question";
const DREW = "testers whose game measured at least 300 frames in the room";
const MEASURED = "testers whose game measured it";
const ALL = "all testers with a device ID and an ended session";

/** By the name of the metric. */
export const metricMeanings: Readonly<Record<string, Meaning>> = {
  quit: {
    counts:
      "A session of the tester ended in the room without completing it, and no later session completed it. Crashes do not " +
      "count, nor do sessions that the game ended as finished or for lack of time. In rooms that nobody completes, such as " +
      "menus, only giving up counts.",
    among: ENTERED,
  },
  completion: {
    counts: "A visit of the tester to the room had a success after which nothing failed in that visit.",
    among: ENTERED,
  },
  rating: { counts: "The latest rating that the tester gave.", among: ANSWERED },
  yes: { counts: "The latest answer of the tester is yes.", among: ANSWERED },
  crash: { counts: "A session of the tester crashed.", among: ALL },
  "return:day-1": {
    counts: "The tester came back 24 to 48 hours after their first session in this build.",
    among: "testers whose first session in this build is at least two days ago",
  },
  "active-time": { counts: "The time in which the tester played.", among: ALL },
  "frame-time-p95": { counts: "95% of the frames of the tester took at most this time.", among: DREW },
  stutter: { counts: "Frames of the tester that took more than 50 ms, per minute of play.", among: DREW },
  "load-time": { counts: "The time that the room took to load for the tester.", among: MEASURED },
  memory: {
    counts: "The most memory that the game used in the room, as the mean over sessions of the tester.",
    among: MEASURED,
  },
};

const STATED = "Texts are read with a list of words.";

/** By what the tag is about and the type of the insight. Numbers are those of the rules of the analysis. */
export const tagMeanings: Readonly<Record<string, string>> = {
  "room difficulty-spike":
    "Failed 5 times in a row in the room, needed 5 unsuccessful attempts before a success, or failed 10 times in a session. " +
    "In a game in which every room costs failures, the room costs at least twice as many as usual.",
  "room stuck-point":
    "Stayed in one spot of the room for 45 seconds while playing, or took at least 2 minutes and 3 times as long as usual.",
  "room negative-moment":
    "Left the room without completing it: gave up, left within 30 seconds of a failure, or left after 30 seconds or more.",
  "room positive-moment": "Succeeded in the room within 30 seconds, on the first attempt.",
  "room bug-report": "The game reported a crash or an error there, or the player a bug.",
  "crash bug-report": "The game crashed.",
  "error bug-report": "The game reported an error.",
  "frame-rate bug-report": "The game reported 3 or more drops of the frame rate in the room.",
  "room pacing-issue": "Gave no input for 2 minutes in the room, and then played on.",
  "answers negative-moment": `Rated 1 or 2 of 5 at least once, or answered with something negative. ${STATED}`,
  "answers praise": `Rated 4 or 5 of 5 at least once, or answered with something positive. ${STATED}`,
  "answers confusion": `Answered that something was not clear. ${STATED}`,
  "transcript negative-moment": `Said something negative. ${STATED}`,
  "transcript praise": `Said something positive. ${STATED}`,
  "transcript confusion": `Said that something was not clear. ${STATED}`,
};

const SUMMARY = "What happened in the session: active time, rooms, failures, successes and how it ended.";

const BY_MODEL = "An AI model found it in what the session recorded.";

/** What an insight of a type states, by what it is about. */
export function listTypeMeanings(type: string): readonly (readonly [about: string, meaning: string])[] {
  const found = Object.entries(tagMeanings).flatMap(([key, meaning]) => {
    const [scope = "", kind] = key.split(" ");
    return kind === type ? [[abouts[scope] ?? scope, meaning] as const] : [];
  });
  return found.length === 0 ? [["In a session", type === SESSION_SUMMARY ? SUMMARY : BY_MODEL]] : found;
}

const abouts: Readonly<Record<string, string>> = {
  room: "In a room",
  answers: "In answers",
  transcript: "In a transcript",
  "frame-rate": "Frame rate",
  crash: "Crashes",
  error: "Errors",
};

/** What a row counts. Tags of a type that only models report are described as such. `room` is undefined if it is not known. */
export function findMeaning({
  name,
  subject,
  room,
}: Pick<ScorecardRow, "name" | "subject"> & { readonly room?: string | null }): Meaning {
  const metric = ownValue(metricMeanings, name);
  if (metric !== undefined) return metric;
  const tag = parseTag(subject ?? "");
  const scope = tag?.scope ?? "room";
  const counts = ownValue(tagMeanings, `${scope} ${tag?.kind}`) ?? BY_MODEL;
  const among: Readonly<Record<string, string>> = { room: ENTERED, "frame-rate": ENTERED, answers: ANSWERED };
  // A bug outside of any room is tagged with its message.
  if (scope === "room" && tag?.kind === "bug-report" && room == null) return { counts, among: COULD_MEET };
  return { counts, among: tag?.location === "" ? ALL : (among[scope] ?? ALL) };
}
