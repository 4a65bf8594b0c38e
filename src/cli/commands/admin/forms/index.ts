/** The `admin forms` commands. */

import { listFormsCommand } from "../lists.ts";
import { createFormCommand } from "./create.ts";
import { setFormCommand } from "./set.ts";

export const formCommands = [createFormCommand, listFormsCommand, setFormCommand];
