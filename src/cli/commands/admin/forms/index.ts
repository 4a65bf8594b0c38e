/** The `admin forms` commands. */
import { createFormCommand } from "./create.ts";
import { listFormsCommand } from "./list.ts";
import { setFormCommand } from "./set.ts";

export const formCommands = [createFormCommand, listFormsCommand, setFormCommand];
