/** admin sessions retry: retries the analysis of a failed session. */
import { keyedHash } from "../../../../server/db/keyed-hash.ts";
import { lacksTranscript, retryAnalysis } from "../../../../server/sessions/sessions.ts";
import { command } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { adminFlags, administerAndAnalyze } from "../administer.ts";
import { readSession, requireSession, requireStatus, sessionResult } from "./session-result.ts";

export const retrySessionCommand = command({
  path: "admin sessions retry",
  summary: "Retry the analysis of a failed session",
  details:
    "The session becomes pending and is analyzed immediately. If that fails, a running server retries it " +
    "later, unless the stored data of the session is damaged. For a recording without a transcript, use " +
    "`playtest admin sessions transcript` instead.",
  args: [{ name: "<id>", describe: "session id (sess_...)" }],
  flags: adminFlags,
  examples: ["admin sessions retry sess_1f2e3d4c5b6a"],
  async run(context, { args, flags }) {
    const [id = ""] = args;
    const session = await administerAndAnalyze(
      context,
      flags,
      async (admin) => {
        const { db, service, accountId, note } = admin;
        const row = await requireSession(admin, id);
        requireStatus(row, "failed", "Only failed sessions can be retried.");
        if (lacksTranscript(row)) {
          throw fail("usage", {
            message: `Session ${row.id} is a recording without a transcript, so it cannot be analyzed`,
            hint: `Run \`playtest admin sessions transcript ${row.id} <file>\` to add its transcript.`,
          });
        }
        await retryAnalysis(db, row, service.now());
        note.target = await keyedHash(db, row.id);
        return { accountId, id: row.id };
      },
      readSession,
    );
    return sessionResult(session);
  },
});
