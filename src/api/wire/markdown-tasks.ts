/** The tasks of a plan file in Markdown: each item of the list is one. Pure. */

/** More than a person reads through. */
export const TASKS_MAX = 100

/** As written, before its keys are checked. */
export type ListedTask = { readonly value: unknown; readonly isDone: boolean }

type Mistake = { readonly path: string; readonly message: string }

/** An item that is not inside another one, with or without a box to tick. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/
/** A line across the page, which looks like an item. */
const RULE = /^([-*_])(?:[ \t]*\1){2,}[ \t]*$/
/** Lines right below the title. */
const KEY = /^\s*(id|after|on|agent):\s*(.*?)\s*$/

/** Text before the first item, and headings, belong to no task. Any other text outside of items is a mistake. */
export function readMarkdownTasks(text: string): { items: ListedTask[]; problems: Mistake[] } {
  const items: ListedTask[] = []
  const problems: Mistake[] = []
  let open: { title: string; isDone: boolean; lines: string[] } | undefined
  const close = () => {
    if (open) items.push({ value: entryOf(open.title, open.lines), isDone: open.isDone })
  }
  for (const [at, line] of text.split("\n").entries()) {
    if (RULE.test(line)) continue
    const item = ITEM.exec(line)
    if (item) {
      close()
      open = { title: titleOf(item[2]!), isDone: (item[1] ?? " ") !== " ", lines: [] }
    } else if (open && /^(\s|$)/.test(line)) open.lines.push(line)
    else if (open && !line.startsWith("#"))
      problems.push({ path: `line ${at + 1}`, message: "is in no item: indent it" })
  }
  close()
  return { items, problems }
}

const titleOf = (line: string): string => line.trim().replace(/^\*\*(.+)\*\*$/, "$1")

function entryOf(title: string, lines: readonly string[]): ListedTask["value"] {
  const first = lines.findIndex((line) => !KEY.test(line))
  const keys = lines.slice(0, first < 0 ? lines.length : first).map((line) => KEY.exec(line)!)
  const body = dedent(lines.slice(keys.length)).trim()
  return {
    title,
    ...(body !== "" && { prompt: `${title}\n\n${body}` }),
    ...Object.fromEntries(keys.map(([, key, value]) => [key, value])),
  }
}

function dedent(lines: readonly string[]): string {
  const depths = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/))
  return lines.map((line) => line.slice(Math.min(...depths))).join("\n")
}
