/** profiles: lists the profiles, without the keys themselves. */
import type { TableColumn } from "../../render/columns.ts";
import { command, createTable } from "../command.ts";
import { readConfig } from "../config-file.ts";

interface ProfileRow {
  readonly name: string;
  readonly current: boolean;
  readonly baseUrl: string | null;
  readonly game: string | null;
  readonly keys: readonly string[];
}

const columns: readonly TableColumn<ProfileRow>[] = [
  { key: "name", header: "PROFILE", value: ({ name }) => name, style: "strong" },
  { key: "current", header: "CURRENT", value: ({ current }) => (current ? "yes" : "no") },
  { key: "baseUrl", header: "BASE URL", value: ({ baseUrl }) => baseUrl, shrink: 1 },
  { key: "game", header: "GAME", value: ({ game }) => game },
  { key: "keys", header: "KEYS", value: ({ keys }) => keys.join(", ") || null },
];

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
