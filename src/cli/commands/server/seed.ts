/** server seed: adds the demo studio to the local database. */
import { demoGames } from "../../../demo/index.ts";
import { command } from "../../command.ts";
import { recordWork } from "./audited.ts";
import { seedDemo } from "./demo.ts";
import { databaseFlags, openLocal } from "./local.ts";

export const seedCommand = command({
  path: "server seed",
  summary: "Add demo data to the local database",
  details:
    "Adds two demo games with sessions, feedback, playtest keys and experiments, and analyzes the sessions. The " +
    "times are relative to the current hour. Running this command again adds nothing, and does not change the " +
    "times of the first run. It fails if you have a game of your own with the slug of a demo game. The built-in AI model " +
    "provider is set up if you have none; a provider that you configured is kept. To add your own telemetry files, use `playtest server import`.",
  args: [],
  flags: databaseFlags,
  examples: ["server seed", "server seed --database demo.db --now 2026-03-01"],
  async run(context, { flags }) {
    const local = await openLocal(context, flags);
    try {
      const seeded = await seedDemo(local);
      if (seeded.events > 0) await recordWork(context, local, { demo: true });
      const games = demoGames.map(({ slug }) => slug).join(" and ");
      const message =
        seeded.events === 0
          ? `The demo data is already in ${local.database}. Nothing was added.\n`
          : `Added the demo games ${games} to ${local.database}.\n`;
      return { data: { database: local.database, ...seeded }, view: () => message };
    } finally {
      await local.stop();
    }
  },
});
