/** Tester handles: the names of testers, and the devices linked to them. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, orNull, unixMs } from "./fields.ts";
import { game } from "./games.ts";
import { defineResource } from "./resource.ts";

/** A handle that was used in at least this many countries probably shares its key. */
const SHARED_KEY_COUNTRIES = 3;

export const testerHandle = z.object({
  id: z.string().describe("ID of the handle (`pth_...`)"),
  handle: z.string().describe("Name of the tester"),
  key_id: orNull(z.string()).describe("ID of the playtest key that the tester redeemed"),
  device_id: orNull(z.string()).describe("ID of the linked device"),
  claimed_at: orNull(unixMs).describe("When the device was linked, unix ms"),
  session_count: count.describe("Number of sessions"),
  total_play_time_ms: count.describe("Play time in milliseconds"),
  last_seen_at: orNull(unixMs).describe("Time of the last session, unix ms"),
  distinct_countries: count.describe("Number of countries. 3 or more suggest that testers share a key"),
  created_at: unixMs.describe("Time of creation, unix ms"),
});
export type TesterHandle = z.output<typeof testerHandle>;

export const listHandles = defineRead({
  name: "listHandles",
  tool: "list_handles",
  path: "/api/v1/handles/{game}",
  summary: "List the tester handles of a game, most recently seen first",
  tag: "handles",
  response: z.object({ game, handles: z.array(testerHandle) }),
});

/** Whether the handle was seen in enough countries that its key is probably shared. */
const looksShared = ({ distinct_countries }: TesterHandle) => distinct_countries >= SHARED_KEY_COUNTRIES;

/** The note about handles whose keys are probably shared; null without any. */
function noteShared(items: readonly TesterHandle[]): string | null {
  const shared = items.filter(looksShared).length;
  if (shared === 0) return null;
  const [handles, keys] =
    shared === 1 ? ["handle was", "Its playtest key is"] : ["handles were", "Their playtest keys are"];
  return `${shared} ${handles} seen in ${SHARED_KEY_COUNTRIES} or more countries. ${keys} probably shared.`;
}

export const handles = defineResource({
  name: "handles",
  item: testerHandle,
  list: listHandles,
  items: "handles",
  filters: {},
  columns: {
    handle: { header: "HANDLE", tone: "strong", shrink: 1 },
    session_count: { header: "SESSIONS" },
    total_play_time_ms: { header: "WALL TIME", kind: "milliseconds" },
    last_seen_at: { header: "LAST SEEN", kind: "time" },
    distinct_countries: {
      header: "COUNTRIES",
      format: (handle) => `${handle.distinct_countries}${looksShared(handle) ? " (shared key?)" : ""}`,
      tone: (handle) => (looksShared(handle) ? "bad" : null),
    },
    device_id: { header: "DEVICE", shrink: 2 },
    id: { header: "ID", wide: true },
    key_id: { header: "PLAYTEST KEY ID", wide: true },
    claimed_at: { header: "CLAIMED", kind: "time", wide: true },
    created_at: { header: "CREATED", kind: "time", wide: true },
  },
  command: {
    path: "handles list",
    summary: "List a game's tester handles, most recently seen first",
    details:
      "A handle is the name that a tester goes by in one game. This lists the handles that your studio created or that were " +
      "named when a playtest key was redeemed. Names that only your game sends with its sessions are not handles; " +
      "`playtest sessions list --wide` shows them. Handles that were seen in " +
      `${SHARED_KEY_COUNTRIES} or more countries are marked, because their playtest keys are probably shared.`,
    examples: [
      "handles list --game ember",
      "handles list --json --jq '.handles[] | select(.distinct_countries > 2)'",
    ],
    empty: "No handles yet.",
    note: noteShared,
  },
  dataset: {
    summary: "One row per tester handle, most recently seen first",
    help: "names of testers, with their devices and play time",
    columns: [
      ...["game", "id", "handle", "key_id", "device_id", "claimed_at", "session_count"],
      { name: "total_play_time_ms", describe: "Play time", unit: "ms" },
      ...["last_seen_at", "distinct_countries", "created_at"],
    ],
  },
});
