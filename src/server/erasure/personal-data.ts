/** The personal data in the database, by table and column: what it is for, how long it is kept, and what an erasure does. */
import type { TableDefinition } from "../db/tables/define.ts";
import { getTable, listColumns, type StoredTable, storedTables } from "../db/tables.ts";

/** A column with data about one tester, or about several testers together. */
export interface PersonalColumn {
  readonly table: StoredTable;
  readonly column: string;
  readonly about: "one tester" | "several testers";
  readonly purpose: string;
  readonly retention: string;
  readonly erasure: string;
}

const retentions = {
  events: "until pruned (--keep-events)",
  sessions: "until pruned (--keep-sessions)",
  erasure: "until erased",
} as const;

const erasures: Readonly<Record<TableDefinition["erasure"], string>> = {
  keep: "kept",
  delete: "rows deleted",
  clear: "columns emptied",
  derive: "computed again without the tester",
  temporary: "deleted by the erasure",
};

/** All columns with personal data, in the order of archives. */
export function listPersonalData(): PersonalColumn[] {
  return storedTables.flatMap((table) => {
    const definition = getTable(table);
    const { personal } = definition;
    if (personal === undefined) return [];
    const shared = {
      purpose: personal.purpose,
      retention: describeRetention(definition),
      erasure: erasures[definition.erasure],
    };
    return listColumns(table).flatMap(([column, { owner }]): PersonalColumn[] =>
      owner === "studio"
        ? []
        : [{ table, column, about: owner === "tester" ? "one tester" : "several testers", ...shared }],
    );
  });
}

function describeRetention({ personal, columns }: TableDefinition): string {
  const { kept = "erasure" } = personal ?? {};
  if (!isRule(kept)) return kept;
  const needsNoSession = Object.values(columns).some(
    ({ facts: { finders = [], isNullable = false } }) => isNullable && finders.includes("session"),
  );
  const rest = kept === "sessions" && needsNoSession ? "; without a session: until erased" : "";
  return `${retentions[kept]}${rest}`;
}

const isRule = (kept: string): kept is keyof typeof retentions => Object.hasOwn(retentions, kept);
