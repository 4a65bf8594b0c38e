/** testers list: the testers of a game, or the people who were invited but never played. */
import * as testerList from "../../../contract/tester-list.ts";
import { toColumns } from "../../../render/tables/columns.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { toggle } from "../../flags.ts";
import { isMultiPage, type ListSelection, listFlags, listResult } from "../lists.ts";
import { toFlags } from "../resource-commands.ts";

export const listTestersCommand = command({
  path: "testers list",
  summary: "List testers, last seen first, or with --never-played those who never played",
  details:
    "A tester is a device; a session without a device counts as its own tester, as in `playtest builds compare`. With --build, " +
    "lists the testers who played that build, with all of their sessions. FRICTION shows the most frequent tags, and in how many " +
    "sessions, if in more than 1.\n\nWith --never-played, lists the invites and the reserved or redeemed playtest keys " +
    "that no session belongs to. A session belongs to a key if its device is linked to the tester handle of the key, or if " +
    "the session names the handle. Without a linked device, the service cannot recognize the tester: the column PLAYED is then " +
    "`unknown`. Play without sending telemetry is never counted.",
  flags: {
    ...toFlags(testerList.testerFilters),
    neverPlayed: toggle("--never-played", "list who was invited or has a key, but has no session"),
    ...toFlags(testerList.neverPlayedFilters),
    ...listFlags,
  },
  examples: [
    "testers list --game ember --last-seen-before 7d",
    "testers list --build 0.9.0 --json",
    "testers list --never-played",
  ],
  async run(context, { flags }) {
    const { neverPlayed, batch, limit, offset, all, ...filter } = flags;
    const selection = { limit, offset, all };
    if (neverPlayed) {
      const [unused] = Object.entries(filter).find(([, value]) => value !== undefined) ?? [];
      if (unused !== undefined)
        throw fail("usage", {
          message: `${formatFlagName(unused)} cannot be used with --never-played`,
          hint: "Omit one of them.",
        });
      return await listNeverPlayed(context, batch, selection);
    }
    if (batch !== undefined)
      throw fail("usage", {
        message: "--batch requires --never-played",
        hint: "Add --never-played, or omit --batch.",
      });
    checkSeenRange(filter);
    const game = await context.requireGame();
    const client = await context.client(testerList, { keepAlive: isMultiPage(selection) });
    return await listResult(
      context,
      selection,
      (range) => client.listTesters({ ...filter, game, ...range }),
      {
        columns: toColumns(testerList.testers),
        empty: "No testers yet, or none match the filters. Use --never-played to see who was invited.",
      },
    );
  },
});

/** Throws `usage` if no time can be in the range. */
function checkSeenRange(range: {
  readonly lastSeenAfter: number | undefined;
  readonly lastSeenBefore: number | undefined;
}): void {
  const { lastSeenAfter: after, lastSeenBefore: before } = range;
  if (after === undefined || before === undefined || after < before) return;
  const [from, to] = [after, before].map((at) => new Date(at).toISOString());
  throw fail("usage", {
    message: `--last-seen-after ${from} is not before --last-seen-before ${to}`,
    hint: "Specify an earlier --last-seen-after or a later --last-seen-before.",
  });
}

const formatFlagName = (name: string) =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function listNeverPlayed(
  context: Context,
  batch: string | undefined,
  selection: ListSelection,
): Promise<Result> {
  const game = await context.requireGame();
  const client = await context.client(testerList, { keepAlive: isMultiPage(selection) });
  const fetchPage = (range: { limit: number; offset: number }) =>
    client.listNeverPlayed({ game, batch, ...range });
  return await listResult(context, selection, fetchPage, {
    columns: toColumns(testerList.neverPlayed),
    empty: "No invite or key without a session. `playtest batches list` shows the playtest batches.",
  });
}
