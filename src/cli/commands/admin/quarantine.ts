import { defineColumns } from "../../../render/tables/columns.ts";
import { keyedHash } from "../../../server/db/keyed-hash.ts";
import { toQuarantined } from "../../../server/db/quarantined-ids.ts";
import type { GameRow } from "../../../server/db/schema.ts";
import { findAccountGames } from "../../../server/games/game-queries.ts";
import { moveSessions } from "../../../server/quarantine/quarantine.ts";
import {
  type BuildChange,
  findQuarantines,
  hasQuarantine,
  previewMove,
  type QuarantineFilter,
  type QuarantineMove,
  type StoredQuarantine,
} from "../../../server/quarantine/quarantine-queries.ts";
import { findSession } from "../../../server/sessions/session-queries.ts";
import { formatName } from "../../../shared/similar-names.ts";
import { formatCount } from "../../../shared/words.ts";
import { command, createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type FlagValues, text, time, toggle } from "../../flags.ts";
import { confirmDestructive } from "../../prompts.ts";
import { addSelection, formatFlag } from "../../suggested-commands.ts";
import { type AdminContext, administerInSteps, destructiveAdminFlags, failNotFound } from "./administer.ts";
import { concludedResult } from "./erasure-result.ts";
import { createAdminListCommand } from "./list-command.ts";
import { LIST_SESSIONS } from "./sessions.ts";

const filterFlags = {
  from: time("--from <time>", "sessions that the service received at or after"),
  to: time("--to <time>", "sessions that the service received at or before"),
  addressOf: text(
    "--address-of <session>",
    "sessions from the address of this session, on the same UTC day (a /64 network for IPv6)",
  ),
  build: text("--build <build>", "sessions of this build"),
  device: text("--device <id>", "sessions of this device"),
} as const;

const moveFlags = {
  ...destructiveAdminFlags,
  ...filterFlags,
  dryRun: toggle("--dry-run", "print what would change, and change nothing"),
} as const;

type FilterValues = FlagValues<typeof filterFlags>;

/** Reads the filter. Throws `usage` if the session of --address-of has no hash. */
async function toFilter(
  { db, accountId, wholeId }: AdminContext,
  game: GameRow,
  { from, to, addressOf, build, device }: FilterValues,
): Promise<QuarantineFilter> {
  const filter = { from, to, build, device };
  if (addressOf === undefined) return filter;
  const session =
    (await findSession(db, toQuarantined(accountId), addressOf)) ??
    (await findSession(db, accountId, await wholeId("sess", addressOf)));
  if (!session || (session.game_id !== game.id && session.game_id !== toQuarantined(game.id)))
    throw failNotFound(`session ${formatName(addressOf)} in ${formatName(game.slug)}`, LIST_SESSIONS);
  if (session.address_hash !== null) return { ...filter, addressHash: session.address_hash };
  throw fail("usage", {
    message: `No address is known of session ${session.id}, because it was imported or an earlier version stored it`,
    hint: "Use --from and --to with the times at which the sessions were received.",
  });
}

const changeColumns = defineColumns<BuildChange>({
  build: { header: "BUILD", tone: "strong" },
  sessions: { header: "SESSIONS" },
  testers: { header: "TESTERS" },
  firstReceived: { header: "FIRST RECEIVED", kind: "time" },
  lastReceived: { header: "LAST RECEIVED", kind: "time" },
  sessionsAfter: { header: "SESSIONS AFTER" },
  testersAfter: { header: "TESTERS AFTER" },
});

const verbs = {
  quarantine: { would: "Would quarantine", done: "Quarantined", question: "Quarantine" },
  release: { would: "Would release", done: "Released", question: "Release" },
} as const;

interface MoveRequest {
  readonly move: QuarantineMove;
  readonly filters: FilterValues;
  readonly quarantineId?: string | undefined;
}

/** Says what a move changes, asks, and moves the sessions. Throws `usage` if none are selected. */
async function runMove(
  context: Context,
  { dryRun, yes, ...admin }: Omit<FlagValues<typeof moveFlags>, keyof FilterValues>,
  { move, filters, quarantineId }: MoveRequest,
): Promise<Result> {
  if ([quarantineId, ...Object.values(filters)].every((value) => value === undefined)) {
    const names = Object.values(filterFlags).map((flag) => flag.flags.split(" ")[0]);
    const flags = `at least one of ${names.join(", ")}.`;
    throw fail("usage", {
      message: "No sessions specified",
      hint: move === "release" ? `Name a quarantine, or add ${flags}` : `Add ${flags}`,
    });
  }
  return await administerInSteps(context, admin, async ({ service, run, record }) => {
    const { game, filter } = await run(async (step) => {
      const row = await step.game();
      return { game: row, filter: { ...(await toFilter(step, row, filters)), quarantineId } };
    });
    const builds = await previewMove(service.store.readDb, game.id, move, filter);
    if (quarantineId !== undefined && !(await hasQuarantine(service.store.readDb, game.id, quarantineId)))
      throw failNotFound(
        `quarantine ${formatName(quarantineId)} with sessions of ${formatName(game.slug)}`,
        "`playtest admin quarantine list` to list quarantines",
      );
    const matching = builds.reduce((sum, { sessions }) => sum + sessions, 0);
    const { would, done, question } = verbs[move];
    const of = `of ${formatCount(builds.length, "build")}`;
    if (dryRun || matching === 0) {
      const data = { dryRun, game: game.slug, quarantine: quarantineId ?? null, sessions: matching, builds };
      return toResult(data, `${would} ${formatCount(matching, "session")} ${of}. Nothing was changed.`);
    }
    await confirmDestructive(context.io, `${question} ${formatCount(matching, "session")} ${of}?`, yes);
    const id = quarantineId ?? (move === "quarantine" ? service.newId("qua") : null);
    const sessions = await moveSessions(service, {
      gameId: game.id,
      filter,
      quarantine: move === "quarantine" && id !== null ? { id, at: service.now() } : null,
      onFirst: async (db) => {
        const { addressOf, device, ...shown } = filters;
        const hashes = {
          addressOf: addressOf === undefined ? null : await keyedHash(db, addressOf),
          device: device === undefined ? null : await keyedHash(db, device),
        };
        await record(db, {
          target: id ?? game.id,
          detail: { game: game.id, sessions: matching, ...shown, ...hashes },
        });
      },
      onStep: (moved) => context.progress(`${question} ${moved + 1} of ${matching}`),
    });
    const data = { dryRun, game: game.slug, quarantine: id, sessions, builds };
    const release = `Run \`playtest admin quarantine release ${id}${formatFlag("--game", game.slug)}\` to bring them back.`;
    const undo = move === "quarantine" ? ` ${addSelection(release, context.selection)}` : "";
    return toResult(data, `${done} ${formatCount(sessions, "session")} ${of}.${undo}`);
  });
}

function toResult(data: { readonly builds: readonly BuildChange[] }, conclusion: string): Result {
  return concludedResult(data, createTable(data.builds, changeColumns, "No sessions match."), conclusion);
}

export const quarantineCommand = command({
  path: "admin quarantine",
  summary: "Take sessions out of every answer, reversibly",
  details:
    "The sessions disappear from every list, count, comparison, export and page, with their events, positions, insights, answers " +
    "and bug reports, as if they had been deleted. What arrives late for them stays out as well. Use --dry-run to see the builds " +
    "that change. Addresses are stored as hashes that change every UTC day, so --address-of finds sessions of one day. " +
    "`playtest admin quarantine release` brings sessions back. Erasures and retention include quarantined sessions. " +
    "If the command is interrupted, run it again to continue.",
  flags: moveFlags,
  examples: [
    "admin quarantine --from 2026-03-01 --to 2026-03-02 --build 0.8.0 --dry-run",
    "admin quarantine --address-of sess_1f2e3d4c5b6a --game ember --yes",
  ],
  async run(context, { flags: { from, to, addressOf, build, device, ...flags } }) {
    const filters = { from, to, addressOf, build, device };
    return await runMove(context, flags, { move: "quarantine", filters });
  },
});

export const releaseCommand = command({
  path: "admin quarantine release",
  summary: "Bring quarantined sessions back into every answer",
  details:
    "Releases the sessions of one quarantine, or those that match the flags, also of several quarantines. Their insights are kept, " +
    "and the sessions are analyzed again.",
  args: [
    {
      name: "[quarantine]",
      describe: "quarantine id (qua_...), as `playtest admin quarantine list` shows it",
    },
  ],
  flags: moveFlags,
  examples: [
    "admin quarantine release qua_0123 --game ember",
    "admin quarantine release --build 0.8.0 --game ember --dry-run",
  ],
  async run(context, { args: [quarantineId], flags: { from, to, addressOf, build, device, ...flags } }) {
    const filters = { from, to, addressOf, build, device };
    return await runMove(context, flags, { move: "release", filters, quarantineId });
  },
});

interface ShownQuarantine extends StoredQuarantine {
  readonly game: string;
}

export const listQuarantinesCommand = createAdminListCommand<ShownQuarantine>({
  path: "admin quarantine list",
  summary: "List quarantines that contain sessions, newest first",
  examples: ["admin quarantine list"],
  field: "quarantines",
  columns: defineColumns<ShownQuarantine>({
    id: { header: "ID", tone: "strong" },
    game: { header: "GAME" },
    at: { header: "TIME", kind: "time" },
    sessions: { header: "SESSIONS" },
    testers: { header: "TESTERS" },
    builds: { header: "BUILDS" },
  }),
  empty: "No sessions are in quarantine.",
  async read({ db, accountId }) {
    const slugs = new Map((await findAccountGames(db, accountId)).map(({ id, slug }) => [id, slug]));
    const quarantines = await findQuarantines(db, accountId);
    return quarantines.map((each) => ({ ...each, game: slugs.get(each.gameId) ?? each.gameId }));
  },
});
