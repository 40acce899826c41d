/** Makes text from outside one safe line, for lists, titles and prompts. */
import { clean } from "./shown.ts"

/** {@link clean}, and on one line. Most texts already are, which is quick to check. */
export function oneLine(text: string): string {
  const cleaned = clean(text)
  return (/\s\s|[^\S ]/.test(cleaned) ? cleaned.replace(/\s+/g, " ") : cleaned).trim()
}
