/** The `admin audiences` commands. */

import { listAudiencesCommand } from "../lists.ts";
import { createAudienceCommand } from "./create.ts";

export const audienceCommands = [createAudienceCommand, listAudiencesCommand];
