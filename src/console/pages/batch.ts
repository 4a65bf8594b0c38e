/** One playtest batch: its settings, its keys and its invites. */
import {
  getBatch,
  listBatchInvites,
  listBatchKeys,
  playtestKeys,
  testerInvites,
} from "../../contract/batches.ts";
import { fragment } from "../../render/svg/element.ts";
import { batchDetails } from "../../render/tables/batch-details.ts";
import { toColumns } from "../../render/tables/columns.ts";
import { CELLS } from "../cells.ts";
import { commandNote, detailList, noteText } from "../details.ts";
import { section } from "../elements.ts";
import { testerLink } from "../links.ts";
import { definePage } from "../page.ts";
import { chooseColumns, dataTable } from "../table.ts";

const keyColumns = chooseColumns(toColumns(playtestKeys), [
  ...["id", "status", "redeemed_at", "redeemed_by_email", "redeemed_by_handle", "redemption_country"],
]);
const inviteColumns = chooseColumns(toColumns(testerInvites), [
  ...["email", "sent_at", "opened_at", "redeemed_at"],
]);

/** The rows of each table. The commands show all of them. */
const MAX_ROWS = 200;

export const batchPage = definePage({
  path: "/games/{game}/batches/{id}",
  query: {},
  async show({ params: { game, id } }, { call }) {
    const data = await call(getBatch, { game, batchId: id });
    const { keys } = await call(listBatchKeys, { game, batchId: id });
    const { invites } = await call(listBatchInvites, { game, batchId: id });
    const count = (items: readonly unknown[]) =>
      items.length > MAX_ROWS && noteText(`The first ${MAX_ROWS} of ${items.length}.`);
    // The heading is the first of them.
    const [, ...details] = batchDetails(data, CELLS);
    return {
      title: data.batch.name,
      trail: [["batches", "Batches"]],
      body: fragment(
        detailList(details),
        section(
          "keys",
          "Keys",
          dataTable(keys.slice(0, MAX_ROWS), keyColumns, {
            caption: "Playtest keys, oldest first",
            links: { redeemed_by_handle: ({ redeemed_by_handle }) => testerLink(game, redeemed_by_handle) },
            stacks: true,
            empty: "No keys yet.",
          }),
          count(keys),
          commandNote(["batches", "keys", id, "--game", game]),
        ),
        section(
          "invites",
          "Invites",
          dataTable(invites.slice(0, MAX_ROWS), inviteColumns, {
            caption: "Invites, newest first",
            stacks: true,
            empty: "No invites yet.",
          }),
          count(invites),
          commandNote(["batches", "invites", id, "--game", game]),
        ),
      ),
      command: ["batches", "get", id, "--game", game],
      data,
    };
  },
});
