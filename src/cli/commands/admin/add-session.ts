/** admin sessions add: adds a session without telemetry, such as a recording with its transcript. */
import { sessionSources } from "../../../contract/sessions.ts";
import { telemetryEnvelope } from "../../../contract/telemetry.ts";
import { keyedHash } from "../../../server/db/keyed-hash.ts";
import { addSession, isRecording } from "../../../server/sessions/sessions.ts";
import { SOURCES } from "../../../shared/session-sources.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { choice, type FlagValues, text, time } from "../../flags.ts";
import { adminFlags, administerAndAnalyze } from "./administer.ts";
import { readSession, sessionResult } from "./sessions.ts";
import { checkTranscript, readTranscript } from "./text-file.ts";

const flags = {
  ...adminFlags,
  source: choice("--source <source>", "source of the session (default: manual)", sessionSources),
  transcript: text("--transcript <file>", "transcript file, or - for standard input"),
  notes: text("--notes <text>", "notes, instead of a transcript"),
  title: text("--title <text>", "session title (default: source and time)"),
  build: text("--build <version>", "build version (default: unknown)"),
  platform: text("--platform <name>", "platform (default: unknown)"),
  tester: text("--tester <handle>", "tester handle"),
  recordedAt: time("--recorded-at <time>", "when the session was recorded (default: now)"),
  env: text("--env <slug>", "environment (default: production)"),
} as const;

export const addSessionCommand = command({
  path: "admin sessions add",
  summary: "Add and analyze a session, such as a recording with a transcript",
  details:
    "A recording (source manual or obs) without a transcript or notes cannot be analyzed yet: it keeps the status " +
    "`transcribing` until you add a transcript with `playtest admin sessions transcript`. The service does not " +
    "transcribe recordings itself. All other sessions are analyzed immediately.",
  flags,
  examples: [
    "admin sessions add --game ember --source obs --transcript session.txt",
    'admin sessions add --game ember --notes "Everyone missed the lever."',
  ],
  async run(context, { flags: values }) {
    const { source = SOURCES.manual, build, platform, tester, env, title } = values;
    const transcript = await resolveTranscript(context, values);
    const session = await administerAndAnalyze(
      context,
      values,
      async ({ db, service, accountId, note, game }) => {
        const recordedAt = values.recordedAt ?? service.now();
        checkFields(values, recordedAt);
        const { id } = await addSession(db, service, await game(), {
          source,
          status: transcript === null && isRecording(source) ? "transcribing" : "pending",
          title,
          build,
          platform,
          testerHandle: tester,
          environment: env,
          transcript,
          recordedAt,
        });
        note.target = await keyedHash(db, id);
        return { accountId, id };
      },
      readSession,
    );
    return sessionResult(session);
  },
});

async function resolveTranscript(
  { io }: Context,
  { transcript, notes }: FlagValues<typeof flags>,
): Promise<string | null> {
  if (transcript !== undefined && notes !== undefined) {
    throw fail("usage", { message: "--transcript and --notes cannot be used together" });
  }
  if (transcript !== undefined) return await readTranscript(io, transcript);
  return notes === undefined ? null : checkTranscript(notes, "--notes");
}

/** Throws `usage` for values that telemetry requests could not contain either. */
function checkFields(values: FlagValues<typeof flags>, recordedAt: number): void {
  const { build, platform, tester, env, title } = values;
  const { shape } = telemetryEnvelope;
  const metadata = { ...(build ? { gameVersion: build } : {}), ...(platform ? { platform } : {}) };
  const parts = [
    ["--build or --platform", shape.sessionMetadata.safeParse(metadata)],
    ["--tester", shape.testerHandle.safeParse(tester)],
    ["--env", shape.environment.safeParse(env)],
    ["--title", shape.title.safeParse(title)],
    ["--recorded-at", shape.startedAt.safeParse(recordedAt)],
  ] as const;
  for (const [flag, { error }] of parts) {
    if (error) throw fail("usage", { message: `${flag}: ${error.issues[0]?.message ?? "invalid value"}` });
  }
}
