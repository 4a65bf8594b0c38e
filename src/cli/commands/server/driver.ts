/** The database driver, so that `doctor` can check for it without opening a database. */
import { loadDriver as load } from "../../../server/db/sqlite.ts";
import { withServiceErrors } from "./service-errors.ts";

/** Loads the driver. Throws `config` if none is available. */
export const loadDriver = () => withServiceErrors(load);
