/** admin sessions transcript: adds the transcript of a recording. */
import { keyedHash } from "../../../../server/db/keyed-hash.ts";
import { lacksTranscript, storeTranscript } from "../../../../server/sessions/sessions.ts";
import { command } from "../../../command.ts";
import { adminFlags, administerAndAnalyze } from "../administer.ts";
import { readSession, requireSession, requireStatus, sessionResult } from "./session-result.ts";
import { readTranscript } from "./transcript-file.ts";

export const transcriptCommand = command({
  path: "admin sessions transcript",
  summary: "Add the transcript of a recording and analyze it",
  args: [
    { name: "<id>", describe: "session id (sess_...)" },
    { name: "<file>", describe: "transcript file, or - for standard input" },
  ],
  flags: adminFlags,
  examples: ["admin sessions transcript sess_1f2e3d4c5b6a session.txt"],
  async run(context, { args, flags }) {
    const [id = "", file = ""] = args;
    const transcript = await readTranscript(context.io, file);
    const session = await administerAndAnalyze(
      context,
      flags,
      async (admin) => {
        const { db, service, accountId, note } = admin;
        const row = await requireSession(admin, id);
        // A recording that failed because it has no transcript can still get one.
        if (row.status !== "failed" || !lacksTranscript(row)) {
          requireStatus(
            row,
            "transcribing",
            "You can only add a transcript to a recording without one (status `transcribing`).",
          );
        }
        await storeTranscript(db, row, transcript, service.now());
        note.target = await keyedHash(db, row.id);
        return { accountId, id: row.id };
      },
      readSession,
    );
    return sessionResult(session);
  },
});
