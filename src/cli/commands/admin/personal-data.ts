/** The `admin personal-data` command: which personal data the database has. */
import { defineColumns } from "../../../render/tables/columns.ts";
import { listPersonalData, type PersonalColumn } from "../../../server/erasure/personal-data.ts";
import { command } from "../../command.ts";
import { createListTable } from "../lists.ts";

const columns = defineColumns<PersonalColumn>({
  table: { header: "TABLE", tone: "strong" },
  column: { header: "COLUMN" },
  about: { header: "ABOUT" },
  retention: { header: "KEPT", shrink: 1 },
  erasure: { header: "ERASURE" },
  purpose: { header: "PURPOSE", wide: true, shrink: 1 },
});

export const personalDataCommand = command({
  path: "admin personal-data",
  summary: "List the columns with personal data, their purpose and how long they are kept",
  details:
    "Lists what every database of this version can contain, for a record of processing or a privacy notice. Policies of pruning are " +
    "flags of `playtest server start`. `playtest admin testers export` writes the data of one tester.",
  flags: {},
  examples: ["admin personal-data", "admin personal-data --format csv"],
  async run(context) {
    const rows = listPersonalData();
    return { data: { columns: rows }, table: await createListTable(context, rows, columns, "") };
  },
});
