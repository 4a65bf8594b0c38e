/** The database driver, for who asks whether it is there without opening a database. */
export { loadDriver } from "../../../server/db/sqlite.ts";
