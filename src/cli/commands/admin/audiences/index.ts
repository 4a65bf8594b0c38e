/** The `admin audiences` commands. */
import { createAudienceCommand } from "./create.ts";
import { listAudiencesCommand } from "./list.ts";

export const audienceCommands = [createAudienceCommand, listAudiencesCommand];
