/** The `admin builds` commands: the builds that are compared by default, and those that are not. */
import { registeredVersion } from "../../../contract/build-registration.ts";
import { knownGameVersion } from "../../../contract/telemetry.ts";
import { quoteForShell } from "../../../render/shell.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import {
  adoptBuild,
  countBuildSessions,
  findBuildState,
  findBuildStates,
  registerBuild,
  setBuildHidden,
} from "../../../server/builds/registration-queries.ts";
import type { BuildStateRow, GameRow } from "../../../server/db/schema.ts";
import { formatName } from "../../../shared/similar-names.ts";
import { type Command, command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { formatFlag } from "../../suggested-commands.ts";
import { type AdminContext, adminFlags, administer, failNotFound } from "./administer.ts";
import { createAdminListCommand } from "./list-command.ts";

/** A build in the output of commands. Times are unix ms; `lastSeen` is null before its first session. */
interface AdminBuild {
  readonly version: string;
  readonly status: "registered" | "unregistered" | "hidden";
  readonly registeredAt: number | null;
  readonly sessionCount: number;
  readonly testerCount: number;
  readonly lastSeen: number | null;
}

const buildColumns = defineColumns<AdminBuild>({
  version: { header: "BUILD", tone: "strong", shrink: 1 },
  status: { header: "STATUS" },
  registeredAt: { header: "REGISTERED", kind: "time" },
  sessionCount: { header: "SESSIONS" },
  testerCount: { header: "TESTERS" },
  lastSeen: { header: "LAST SEEN", kind: "time" },
});

/** All builds of a game: those that were registered last come first, then those that were played last. */
async function readBuilds({ db }: AdminContext, { id }: GameRow): Promise<AdminBuild[]> {
  const states = new Map((await findBuildStates(db, id)).map((row) => [row.build, row]));
  const counts = new Map((await countBuildSessions(db, id)).map((row) => [row.version, row]));
  const versions = new Set([...states.keys(), ...counts.keys()]);
  return [...versions]
    .map((version) => ({
      ...{ sessionCount: 0, testerCount: 0, lastSeen: null, ...counts.get(version) },
      ...describeState(version, states.get(version)),
    }))
    .sort(
      (a, b) =>
        (b.registeredAt ?? 0) - (a.registeredAt ?? 0) ||
        (b.lastSeen ?? 0) - (a.lastSeen ?? 0) ||
        (a.version < b.version ? -1 : 1),
    );
}

function describeState(
  version: string,
  { registered_at = null, hidden_at = null }: Partial<BuildStateRow> = {},
): Pick<AdminBuild, "version" | "status" | "registeredAt"> {
  const status = hidden_at !== null ? "hidden" : registered_at !== null ? "registered" : "unregistered";
  return { version, status, registeredAt: registered_at };
}

/** Throws `usage` for an invalid version. */
function requireVersion(version: string, schema: typeof knownGameVersion): void {
  const { error } = schema.safeParse(version);
  if (error)
    throw fail("usage", {
      message: `Invalid build version ${JSON.stringify(version)}: ${error.issues[0]?.message ?? "invalid value"}`,
      hint: "Use the version that the game sends as gameVersion.",
    });
}

/** Throws `not_found` unless the build was played or registered. */
async function requireKnownBuild(admin: AdminContext, game: GameRow, version: string): Promise<void> {
  if (await findBuildState(admin.db, { gameId: game.id, version })) return;
  const builds = await readBuilds(admin, game);
  if (!builds.some((build) => build.version === version)) throw unknownBuild(game, version);
}

const unknownBuild = ({ slug }: GameRow, version: string) =>
  failNotFound(
    `build ${formatName(version)} in ${slug}`,
    `\`playtest admin builds list${formatFlag("--game", slug)}\` to list builds`,
  );

interface BuildCommand extends Pick<Command, "path" | "summary" | "details" | "examples"> {
  /** The versions that it accepts (default: those that a game can send). */
  readonly accepts?: typeof knownGameVersion;
  change(admin: AdminContext, game: GameRow, version: string): Promise<unknown>;
}

function createBuildCommand({ change, accepts = knownGameVersion, ...texts }: BuildCommand): Command {
  return command({
    ...texts,
    args: [{ name: "<version>", describe: "build version" }],
    flags: adminFlags,
    async run(context, { args: [version = ""], flags }) {
      requireVersion(version, accepts);
      const { build, missing, slug } = await administer(context, flags, async (admin) => {
        const game = await admin.game();
        const hadRegistered = (await readBuilds(admin, game)).some(isRegistered);
        await change(admin, game, version);
        admin.note.detail = { build: version };
        const builds = await readBuilds(admin, game);
        const isFirst = !hadRegistered && builds.some(isRegistered);
        return {
          build: builds.filter((known) => known.version === version),
          missing: isFirst ? builds.filter(({ status }) => status === "unregistered") : [],
          slug: game.slug,
        };
      });
      const [last] = missing;
      if (last) {
        const adopt = `playtest admin builds adopt ${quoteForShell(last.version) ?? "<version>"}${formatFlag("--game", slug)}`;
        const builds = missing.length === 1 ? "1 build is" : `${missing.length} builds are`;
        await context.notify(
          `${builds} not registered, and no longer compared by default. To register one as of its first session, run \`${adopt}\`.`,
        );
      }
      return { data: { build: build[0] ?? null }, table: createTable(build, buildColumns, "") };
    },
  });
}

const isRegistered = ({ status }: AdminBuild): boolean => status === "registered";

export const buildCommands: readonly Command[] = [
  createBuildCommand({
    path: "admin builds register",
    summary: "Register a build, so that it is the latest one",
    details:
      "Once a game has registered builds, only they can be `latest` or `previous`, in the order of their registration, and " +
      "lists show only them by default. Sessions change neither. The gate leaves out sessions of the baseline that were " +
      "received after the build was registered. Register a build before testers get it. From CI, use `playtest builds " +
      "register` with a CI key. A build that is already registered keeps its place.",
    examples: ["admin builds register 0.9.0 --game ember"],
    accepts: registeredVersion,
    change: ({ db, service }, { id: gameId }, version) =>
      registerBuild(db, { gameId, version }, service.now()),
  }),
  createBuildCommand({
    path: "admin builds adopt",
    summary: "Register a build that was already played, as of its first session",
    details:
      "The build gets its place in the order of builds by the time when its first session was received, so it comes before " +
      "builds that were registered later. To make it the latest build instead, register it.",
    examples: ["admin builds adopt 0.8.0 --game ember"],
    async change({ db }, game, version) {
      if (!(await adoptBuild(db, { gameId: game.id, version }))) throw unknownBuild(game, version);
    },
  }),
  createBuildCommand({
    path: "admin builds hide",
    summary: "Hide a build from lists, `latest` and `previous`",
    details:
      "Use it for builds that somebody made up, or that were registered by mistake. The data of the build is kept, and " +
      "commands that name its version still show it. `playtest admin builds unhide` shows it again.",
    examples: ["admin builds hide 0.7.5 --game ember"],
    async change(admin, game, version) {
      await requireKnownBuild(admin, game, version);
      await setBuildHidden(admin.db, { gameId: game.id, version }, admin.service.now());
    },
  }),
  createBuildCommand({
    path: "admin builds unhide",
    summary: "Show a hidden build again",
    examples: ["admin builds unhide 0.7.5 --game ember"],
    async change(admin, game, version) {
      await requireKnownBuild(admin, game, version);
      await setBuildHidden(admin.db, { gameId: game.id, version }, null);
    },
  }),
  createAdminListCommand({
    path: "admin builds list",
    summary: "List all builds of a game: registered, unregistered and hidden",
    examples: ["admin builds list --game ember"],
    field: "builds",
    columns: buildColumns,
    empty: "No builds. A build appears when it is registered, or with its first session.",
    read: async (admin) => await readBuilds(admin, await admin.game()),
  }),
];
