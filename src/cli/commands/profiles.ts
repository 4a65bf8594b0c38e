import { defineColumns } from "../../render/tables/columns.ts";
import { command, createTable } from "../command.ts";
import { readConfig } from "../config-file.ts";

interface ProfileRow {
  readonly name: string;
  readonly current: boolean;
  readonly baseUrl: string | null;
  readonly game: string | null;
  readonly keys: readonly string[];
}

const columns = defineColumns<ProfileRow>({
  name: { header: "PROFILE", tone: "strong" },
  current: { header: "CURRENT", value: ({ current }) => (current ? "yes" : "no") },
  baseUrl: { header: "BASE URL", shrink: 1 },
  game: { header: "GAME" },
  keys: { header: "KEYS", value: ({ keys }) => keys.join(", ") || null },
});

const profilesCommand = command({
  path: "profiles",
  summary: "List profiles and their stored keys",
  examples: ["profiles", "profiles --json"],
  toleratesInvalidProfile: true,
  async run({ io, settings }) {
    const { profiles = {} } = readConfig(io.configDir);
    const rows = Object.entries(profiles).map(
      ([name, profile]): ProfileRow => ({
        name,
        current: name === settings.profile.value,
        baseUrl: profile.baseUrl ?? null,
        game: profile.game ?? null,
        keys: Object.keys(profile.keys ?? {}),
      }),
    );
    return {
      data: { profiles: rows },
      table: createTable(rows, columns, "No profiles yet. Run `playtest login` to create one."),
    };
  },
});

export const commands = [profilesCommand];
