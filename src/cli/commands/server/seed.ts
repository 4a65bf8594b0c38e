/** server seed: adds the demo studio to the local database. */
import { command } from "../../command.ts";
import { seedDemo } from "./demo.ts";
import { databaseFlags, openLocal } from "./local.ts";

export const seedCommand = command({
  path: "server seed",
  summary: "Add the data of a demo studio to the local database",
  details: "The sessions are analyzed as well. Running this command again within the hour changes nothing.",
  args: [],
  flags: databaseFlags,
  examples: ["server seed", "server seed --database demo.db --now 2026-03-01"],
  async run(context, { flags }) {
    const local = await openLocal(context, flags);
    try {
      const seeded = await seedDemo(local);
      const { sessions, events } = seeded;
      const message = `Added ${sessions} sessions with ${events} new events to ${local.database}.\n`;
      return { data: { database: local.database, ...seeded }, view: () => message };
    } finally {
      await local.stop();
    }
  },
});
