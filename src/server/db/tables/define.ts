/**
 * What a table is. Its definition gives the types of the query builder (`schema.ts`), and says how an erasure, an archive and a
 * cluster treat it. The migrations create it, with its indexes; a test compares both.
 */
import * as z from "zod";

/**
 * Whose data a column contains. `studio`: the studio's or the service's, or a keyed hash. `tester`: what a tester sent, or
 * something about one. `aggregate`: something about several testers together.
 */
type Owner = "studio" | "tester" | "aggregate";

/** What an erasure does with the rows of a table. */
type Erasure =
  /** Nothing: no column is about testers. */
  | "keep"
  /** The rows that belong to the tester are deleted. */
  | "delete"
  /** The rows are kept without the columns of the tester, which become null. */
  | "clear"
  /** The rows are counted, computed or generated again without the erased ones. */
  | "derive"
  /** Nothing: the service deletes the rows within a minute, or as the last step of the erasure. */
  | "temporary";

/** What finds the rows of a tester. A row belongs to the tester if any of its columns matches. */
export type FinderKind =
  /** The id of a session. */
  | "session"
  /** The id of a device. */
  | "device"
  /** A tester handle, or the id of a player in the words of the game, which is often the same. */
  | "handle"
  | "email"
  /** The id of a playtest key that the tester redeemed or was to redeem. */
  | "playtestKey"
  /** The id of an invite. */
  | "invite";

/**
 * Where a sharded database (Citus) keeps a table, see docs/host/scale.md. `game`: in the shard of the row's game. `account`: in a
 * shard of the row's account. `everywhere`: a copy on every node. `coordinator`: only on the coordinator.
 */
export type Placement = "game" | "account" | "everywhere" | "coordinator";

/** The column that decides in which shard a row is. It is part of the key of its table. */
export const distributionColumns = { game: "game_id", account: "account_id" } as const;

/** What a value is, also in archives. Integers have 64 bits, and numbers are doubles. */
export type ColumnType = "text" | "integer" | "number" | "bytes";

/** What Postgres calls the types of migrations: text sorts by its bytes, and integers have 64 bits, as in SQLite. */
export const postgresTypes: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  integer: "bigint",
  blob: "bytea",
};

/** The format of a binary column, which archives check (`archive/check-rows.ts`). */
export type BytesFormat = "events" | "points" | "heights" | "counts" | "numbers";

interface ColumnFacts<Whose extends Owner> {
  readonly type: ColumnType;
  readonly owner: Whose;
  readonly isNullable?: boolean;
  /** Whether it is state of a running server. Archives store null instead. */
  readonly isEphemeral?: boolean;
  readonly finders?: readonly FinderKind[];
  /** What the service relies on when it reads the JSON of a text. */
  readonly json?: z.ZodType;
  readonly format?: BytesFormat;
}

/** A column with values of a type. */
export class Column<Value = unknown, Whose extends Owner = Owner> {
  /** Only for types. */
  declare readonly value: Value;
  readonly facts: ColumnFacts<Whose>;

  constructor(facts: ColumnFacts<Whose>) {
    this.facts = facts;
  }

  /** Narrows the type of the values. */
  as<Narrow extends Value>(): Column<Narrow, Whose> {
    return new Column(this.facts);
  }

  nullable(): Column<Value | null, Whose> {
    return new Column({ ...this.facts, isNullable: true });
  }

  /** Marks state of a running server. Archives store null instead. */
  ephemeral(): Column<Value, Whose> {
    return new Column({ ...this.facts, isEphemeral: true });
  }

  /** Rows whose column has an id of one of the kinds belong to the tester with that id. */
  finds(...finders: readonly FinderKind[]): Column<Value, Whose> {
    return new Column({ ...this.facts, finders });
  }
}

export const text = <Whose extends Owner>(owner: Whose) => new Column<string, Whose>({ type: "text", owner });
export const integer = <Whose extends Owner>(owner: Whose) =>
  new Column<number, Whose>({ type: "integer", owner });
export const number = <Whose extends Owner>(owner: Whose) =>
  new Column<number, Whose>({ type: "number", owner });
export const bytes = <Whose extends Owner>(owner: Whose, format: BytesFormat) =>
  new Column<Uint8Array, Whose>({ type: "bytes", owner, format });
/** JSON as text. `schema`: what the service relies on when it reads it. */
export const json = <Whose extends Owner>(owner: Whose, schema: z.ZodType) =>
  new Column<string, Whose>({ type: "text", owner, json: schema });

/** Schemas of JSON in several tables. */
export const anyObject = z.looseObject({});
export const anyObjects = z.array(anyObject);
export const count = z.int().min(0);

/**
 * How long personal data is kept. `events`: until pruning deletes the events of the session. `sessions`: until the session is
 * deleted, by pruning or a command. `erasure`: until the tester is erased, because pruning never deletes it. Otherwise a time.
 */
type Kept = "events" | "sessions" | "erasure" | `up to ${string}`;

interface PersonalData {
  /** What the data is for, as one sentence. Operators show it to testers. */
  readonly purpose: string;
  readonly kept: Kept;
}

export interface TableDefinition {
  /** The columns of the primary key, in order. */
  readonly key: readonly string[];
  readonly place: Placement;
  readonly erasure: Erasure;
  readonly personal?: PersonalData;
  /** False for the state of running servers or of this database, which is meaningless in another one (default: true). */
  readonly archived?: false;
  readonly columns: Readonly<Record<string, Column>>;
}

/** What the columns of a table require of the rest of its definition. */
type Requirements<Columns extends TableDefinition["columns"]> = {
  readonly key: readonly (keyof Columns)[];
} & (Columns[keyof Columns]["facts"]["owner"] extends "studio"
  ? { readonly erasure: "keep" | "derive"; readonly personal?: never }
  : /** Data about testers must not be kept, and must have a purpose. */
    { readonly erasure: Exclude<Erasure, "keep">; readonly personal: PersonalData });

/** Defines a table. Its type has the types of the columns. */
export function defineTable<const Definition extends TableDefinition>(
  definition: Definition & Requirements<Definition["columns"]>,
): Definition {
  return definition;
}

/** The row of a table. */
export type RowOf<Table extends TableDefinition> = {
  -readonly [Name in keyof Table["columns"]]: Table["columns"][Name]["value"];
};
