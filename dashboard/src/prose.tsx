/** Shows text between backticks as code. */
import { clean } from "../../src/core/shown.ts"

export function Prose({ text }: { readonly text: string }) {
  const parts = clean(text).split("`")
  return parts.map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part))
}
