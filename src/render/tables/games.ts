/** Table columns of games. */
import type { Game } from "../../contract/games.ts";
import type { TableColumn } from "../columns.ts";
import { textColumn, timeColumn, wideColumn } from "./columns.ts";

export const gameColumns: readonly TableColumn<Game>[] = [
  { key: "slug", header: "SLUG", value: (game) => game.slug, style: "strong" },
  textColumn("name", "NAME", (game) => game.name, 2),
  textColumn("id", "ID", (game) => game.id, 1),
  timeColumn("createdAt", "CREATED", (game) => game.createdAt),
  wideColumn(textColumn("userId", "ACCOUNT", (game) => game.userId)),
];
