/** The help of --trigger. */
export const TRIGGER_HELP =
  "when your game shows the form: any text that your game understands, such as session_end or level_completed:dock";
