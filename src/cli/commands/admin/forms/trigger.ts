/** The help of --trigger. */
export const TRIGGER_HELP =
  "text that tells your game when to show the form, such as session_end or level_completed:dock; the service does not interpret it";
