/** The events that webhooks can send, and what they say. Device ids and tester handles are never sent. */

import { toLine, type WebhookMessage } from "../../webhooks/message.ts";
import type { BugReportRow, GameRow, GateRow } from "../db/schema.ts";

export const webhookEvents = [
  "session.analyzed",
  "session.failed",
  "bug-report",
  "experiment.decided",
  "gate.decided",
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Only sent to the receiver of a gate; that it was opened only if it shows the status of a commit. */
const receiverEvents = ["gate.opened", "gate.closed"] as const;

/** The longest text of a player in the data of an event, in characters. */
const MAX_PLAYER_TEXT = 2_000;
/** Maximum number of tags listed for a session. */
const MAX_TAGS = 20;

/** A message about a game, without the game and the time, which the outbox adds. */
export interface GameEvent extends Omit<WebhookMessage, "type" | "timestamp"> {
  readonly type: WebhookEvent | (typeof receiverEvents)[number];
  /** The session that the event is about. Deleting the session deletes the event. */
  readonly sessionId: string | null;
  /** The player whose words the event contains. Erasing the player deletes the event. Never sent. */
  readonly playerId: string | null;
}

/** The fields of a session that events contain. */
interface EventSession {
  readonly id: string;
  readonly title: string;
  readonly build: string;
  readonly environment: string;
  readonly recorded_at: number;
}

const toSessionData = ({ id, title, build, environment, recorded_at }: EventSession) => ({
  id,
  build,
  environment,
  title: toLine(title),
  recordedAt: recorded_at,
});

const toSessionEvent = ({ id }: EventSession) => ({
  sessionId: id,
  playerId: null,
  command: `playtest sessions get ${id}`,
});

/** A finding of an analysis. */
interface EventInsight {
  readonly type: string;
  readonly sentiment: string;
  readonly tag: string;
  readonly title: string;
}

/** A session was analyzed. `reanalysis` if new data changed the findings of an earlier analysis. */
export function sessionAnalyzed(
  session: EventSession,
  insights: readonly EventInsight[],
  reanalysis: boolean,
): GameEvent {
  const findings = insights.filter(({ type }) => type !== "session-summary");
  const count = (sentiment: string) => findings.filter((insight) => insight.sentiment === sentiment).length;
  const [negative, positive] = [count("negative"), count("positive")];
  const worst = findings.filter(({ sentiment }) => sentiment === "negative").map(({ title }) => title);
  return {
    type: "session.analyzed",
    ...toSessionEvent(session),
    data: {
      session: toSessionData(session),
      insights: { total: findings.length, negative, positive },
      tags: findings.slice(0, MAX_TAGS).map(({ tag }) => toLine(tag)),
      reanalysis,
    },
    title: `Session ${reanalysis ? "analyzed again" : "analyzed"}: ${session.title}`,
    lines: [
      `Build ${session.build}: ${negative} negative and ${positive} positive insights`,
      ...worst.slice(0, 3),
    ],
    tone: "neutral",
  };
}

/** The analysis of a session failed permanently. */
export function sessionFailed(session: EventSession, reason: string): GameEvent {
  return {
    type: "session.failed",
    ...toSessionEvent(session),
    data: { session: toSessionData(session), reason: toLine(reason) },
    title: `Analysis failed: ${session.title}`,
    lines: [`Build ${session.build}`, reason],
    tone: "bad",
  };
}

/** A player reported a bug. */
export function bugReported(report: BugReportRow): GameEvent {
  const { id, session_id, title, description, severity, build, environment, platform, created_at } = report;
  return {
    type: "bug-report",
    sessionId: session_id,
    playerId: report.player_id,
    data: {
      bugReport: {
        id,
        severity,
        build,
        environment,
        platform,
        title: toLine(title, MAX_PLAYER_TEXT),
        description: toLine(description, MAX_PLAYER_TEXT),
        sessionId: session_id,
        createdAt: created_at,
      },
    },
    title: `Bug report: ${title}`,
    lines: [`Severity ${severity}, build ${build}, ${platform}`, description],
    command: session_id === null ? null : `playtest sessions get ${session_id}`,
    tone: "bad",
  };
}

/** How an experiment was decided: by the verdict of its comparison, or because someone declared a winner. */
export interface Decision {
  readonly by: "comparison" | "declaration";
  /** A sentence. */
  readonly reason: string;
}

/** An experiment has a winner. */
export function experimentDecided(
  experiment: { readonly id: string; readonly name: string },
  variant: { readonly key: string; readonly name: string },
  { by, reason }: Decision,
): GameEvent {
  const { id, name } = experiment;
  return {
    type: "experiment.decided",
    sessionId: null,
    playerId: null,
    data: {
      experiment: { id, name: toLine(name) },
      variant: { key: variant.key, name: toLine(variant.name) },
      decidedBy: by,
    },
    title: `Experiment decided: ${name}`,
    lines: [
      `Variant ${variant.key}${variant.name === variant.key ? "" : ` (${variant.name})`}`,
      toLine(reason),
    ],
    command: `playtest experiments compare ${id}`,
    tone: "good",
  };
}

/** A gate that the service decides, as events name it. */
type EventGate = Pick<GateRow, "id" | "a" | "b" | "environment" | "commit_hash">;

/** The name of the status of a commit. Gates that compare something else have statuses of their own. */
const toContext = ({ a, environment }: EventGate, { slug }: Pick<GameRow, "slug">) =>
  toLine(
    [
      `playtest/${slug}`,
      ...(environment === "production" ? [] : [environment]),
      ...(a === "previous" ? [] : [`vs ${a}`]),
    ].join(" "),
  );

const toGateEvent = { sessionId: null, playerId: null } as const;

const toGateData = ({ id, commit_hash }: EventGate) => ({ id, commit: commit_hash });

/** What `gate` found, as a status of a commit: an inconclusive gate passes if its rules allow it. */
export type CommitState = "success" | "failure";

/** What the verdict of a gate says. */
export type GateMessage = Omit<WebhookMessage, "type" | "timestamp">;

/** A gate was opened. Its verdict follows. */
export function gateOpened(gate: EventGate, game: Pick<GameRow, "slug">, minTesters: number): GameEvent {
  const { a, b, environment } = gate;
  return {
    type: "gate.opened",
    ...toGateEvent,
    data: { gate: toGateData(gate), a, b, environment, status: "pending", context: toContext(gate, game) },
    title: `Waiting for ${minTesters === 1 ? "1 tester" : `${minTesters} testers`} of ${b}`,
    lines: [`Environment: ${environment}`],
    command: null,
    tone: "neutral",
  };
}

/** A gate was closed without a verdict. */
export function gateClosed(gate: EventGate, game: Pick<GameRow, "slug">, answer: string): GameEvent {
  const { a, b, environment } = gate;
  return {
    type: "gate.closed",
    ...toGateEvent,
    data: {
      gate: toGateData(gate),
      a,
      b,
      environment,
      status: "error",
      answer,
      context: toContext(gate, game),
    },
    title: `Gate of ${b} ${answer}`,
    lines: [`Environment: ${environment}`],
    command: null,
    tone: "neutral",
  };
}

/** A gate was decided. */
export function gateDecided(
  gate: EventGate,
  game: Pick<GameRow, "slug">,
  { data, ...message }: GateMessage,
  about: { readonly status: CommitState; readonly answer: string },
): GameEvent {
  return {
    ...message,
    type: "gate.decided",
    ...toGateEvent,
    data: { gate: toGateData(gate), ...data, ...about, context: toContext(gate, game) },
  };
}

/** A message for a test of a webhook. */
export function testMessage(webhookId: string, timestamp: number): WebhookMessage {
  return {
    type: "webhook.test",
    timestamp,
    data: { webhookId },
    title: "Test of a playtest webhook",
    lines: ["This webhook works."],
    command: null,
    tone: "neutral",
  };
}

/** The message of an event of a game. */
export function toMessage(
  { type, data, title, lines, command, tone }: GameEvent,
  { id, slug, name }: GameRow,
  timestamp: number,
): WebhookMessage {
  return {
    type,
    timestamp,
    title,
    tone,
    data: { game: { id, slug, name: toLine(name) }, ...data },
    lines: [name, ...lines],
    command,
  };
}
