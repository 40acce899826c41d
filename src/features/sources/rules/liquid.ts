/**
 * Fills in a prompt of Symphony: the part of Liquid that such prompts use. Pure.
 *
 * The result is the prompt for a first attempt at any issue. Conditions take every field as set, but no
 * field is filled in: a stranger wrote its text, so that follows the prompt as data. Any other tag is
 * refused, as Symphony does.
 *
 * @see https://shopify.github.io/liquid/
 */

type Rendered = { readonly text: string } | { readonly fault: string }

/** A tag or an output, with no other one inside it. */
const TOKEN = /\{%-?([^{}%]*?)-?%\}|\{\{-?([^{}%]*?)-?\}\}/
const FIELDS = [
  ...["id", "identifier", "native_ref", "title", "description", "priority", "state", "url"],
  ...["branch_name", "assignee_id", "labels", "blocked_by", "created_at", "updated_at"],
]
const IN_PLACE_OF_A_FIELD = "(see the work item)"
/** A person writes these prompts, so a longer one is a mistake. */
const CHARS_MAX = 32_000

export function renderTemplate(template: string): Rendered {
  if (template.length > CHARS_MAX)
    return { fault: `its prompt is longer than ${CHARS_MAX} characters` }
  /** For each open condition, whether the text here is used. */
  const open: boolean[] = []
  let text = ""
  // After each plain text come a tag and an output, of which one is undefined.
  const parts = template.split(TOKEN)
  for (let at = 0; at < parts.length; at += 3) {
    const [plain = "", tag, output] = parts.slice(at, at + 3)
    const isUsed = open.every(Boolean)
    if (/\{[{%]/.test(plain)) return { fault: "its prompt has a tag without an end" }
    if (isUsed) text += plain
    const fault = tag === undefined ? faultOf(output) : followTag(open, tag.trim())
    if (fault !== undefined) return { fault: `its prompt has ${fault}` }
    if (output !== undefined && isUsed && output.trim() !== "attempt") text += IN_PLACE_OF_A_FIELD
  }
  if (open.length > 0) return { fault: "its prompt has a condition without `{% endif %}`" }
  return { text: text.replaceAll(/\n{3,}/g, "\n\n").trim() }
}

/** Opens, turns or closes a condition. @returns what is wrong with the tag. */
function followTag(open: boolean[], tag: string): string | undefined {
  const [word, value = "", ...rest] = tag.split(/\s+/)
  if ((word === "if" || word === "unless") && rest.length === 0) {
    const fault = faultOf(value)
    open.push((value !== "attempt") === (word === "if"))
    return fault
  }
  if (word === "else" && open.length > 0) return void open.push(!open.pop())
  const isEnd = (word === "endif" || word === "endunless") && open.pop() !== undefined
  return isEnd ? undefined : `\`{% ${tag} %}\`, which Coppice does not know`
}

function faultOf(output: string | undefined): string | undefined {
  // A filter changes a field, and no field is filled in.
  const name = output?.split("|")[0]?.trim() ?? "attempt"
  const [issue, field = "", ...deeper] = name.split(".")
  const isField = issue === "issue" && FIELDS.includes(field) && deeper.length === 0
  return name === "attempt" || isField ? undefined : `\`${name}\`, which Coppice does not know`
}
