/** Names the event of a transition: `task` + `handedBack` is `task.handed_back`. */

/** The part after a colon (`restarted:working`) is in the event's data already, as `to`. */
export function eventType(subject: "task" | "landing", transition: string): string {
  const words = transition.split(":", 1).join("")
  return `${subject}.${words.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
}
