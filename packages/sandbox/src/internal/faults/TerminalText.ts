/**
 * Text that controls a terminal that prints it.
 */

/** Text that acts on a terminal: its title, its screen, its colours, the direction of writing, a line of its own. */
export const text = "\u001b]0;sandbox\u0007\u001b[2J\u009b31m\u202e\r\nsandbox"

/** The part of it that a header can hold. */
export const header = "\u009b31m"
