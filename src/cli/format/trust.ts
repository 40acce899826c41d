/** The programs that a home asks a person to approve, as lines. */

import { reveal } from "../../core/shown.ts"
import type { TrustDocument } from "../../core/wire/home.ts"
import type { Output } from "../output.ts"

type Item = TrustDocument["config"][number]

export function trustLines(output: Output, document: TrustDocument): string[] {
  const { path, home, config, changed, git } = document
  const file = path ?? `${home} (no coppice.yml)`
  const title = changed ? `${file} has changed since you approved it:` : `${file} says:`
  const parts = [...(config.length > 0 || changed ? section(output, title, config) : [])]
  if (git.length > 0)
    parts.push(...section(output, "Git configurations of repositories name programs:", git))
  return parts.length > 0 ? parts : [`${file}: nothing needs an approval.`]
}

/** In full, with invisible characters spelled out: a person approves all of it. */
function section(output: Output, title: string, items: readonly Item[]): string[] {
  const lines = items.map(({ where, what }) => {
    const [first = "", ...more] = reveal(what).split("\n")
    return [`  ${reveal(where)}: ${first}`, ...more.map((line) => `      ${line}`)].join("\n")
  })
  return [output.paint("bold", title), ...lines]
}
