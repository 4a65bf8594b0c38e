/** admin gates close: ends an open gate without a verdict. */
import { closeGate } from "../../../server/gates/end-gate.ts";
import { command } from "../../command.ts";
import { adminFlags, administer } from "./administer.ts";

export const closeGateCommand = command({
  path: "admin gates close",
  summary: "Close an open gate without a verdict",
  details: "Its receiver gets the event gate.closed, and the status of its commit becomes an error.",
  args: [{ name: "<id>", describe: "gate id, as `playtest gate list --wide` shows it" }],
  flags: adminFlags,
  examples: ["admin gates close gate_0123"],
  async run(context, { args: [id = ""], flags }) {
    const { state, b, receiver, delivery } = await administer(context, flags, async (admin) => {
      const closed = await closeGate(admin.db, admin.service, admin.accountId, id);
      admin.note.target = closed.id;
      admin.note.detail = { game: closed.game_id, build: closed.b };
      return closed;
    });
    return {
      data: { gate: { id, state, b, to: receiver } },
      view: () =>
        `Closed the gate of ${b}. ${delivery === "dropped" ? `Nothing is sent: there is no receiver ${receiver}` : `${receiver} gets an error instead of a verdict`}.\n`,
    };
  },
});
