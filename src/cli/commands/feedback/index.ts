/** The commands about feedback. */
import { getFeedbackCommand } from "./get.ts";
import { listFeedbackCommand } from "./list.ts";

export const commands = [listFeedbackCommand, getFeedbackCommand];
