/** `trust`: shows which programs a home names, asks, and records that they may run. */
import { refuseAgents } from "../../api/client/connect.ts"
import { findHome } from "../../api/client/home.ts"
import type { TrustDocument } from "../../api/wire/home.ts"
import { mark } from "../../base/text/mark.ts"
import { quote, reveal } from "../../base/text/shown.ts"
import { REACHING_HINT } from "../../kernel/git/start/file-programs.ts"
import type { Command } from "../../surfaces/cli/command.ts"
import { confirm } from "../../surfaces/cli/confirm.ts"
import { UsageError } from "../../surfaces/cli/errors.ts"
import { noOperands } from "../../surfaces/cli/operands.ts"
import type { Output } from "../../surfaces/cli/output.ts"
import { approveFound, examineTrust, type Found, revoke } from "./find-unapproved.ts"

export const command: Command = {
  operands: "",
  options: {
    yes: { type: "boolean", short: "y", about: "Approve without asking, for scripts" },
    revoke: { type: "boolean", about: "Withdraw the approval" },
  },
  details:
    "Coppice runs nothing that coppice.yml, or the repository's own git configuration, names before\n" +
    "you approve exactly that. A later change needs a new approval; until then what you approved last\n" +
    "stays in force, and new tasks are refused.",

  async run({ output, json, cwd, env, home, askLine }, positionals, values) {
    noOperands(positionals, "trust")
    refuseAgents(env)
    if (values["yes"] && values["revoke"])
      throw new UsageError("`--yes` and `--revoke` exclude each other.")
    const place = findHome(cwd, { home, env })
    const found = await examineTrust(place, env)
    if (!json) output.lines([...trustLines(output, found.document), ...guarded(output, found)])
    if (values["revoke"]) revoke(found)
    else if (!found.document.approved || values["yes"]) {
      if (!values["yes"] && !askLine)
        throw new UsageError("Nothing was approved: there is no terminal to ask on.", [
          "`coppice trust --yes` approves what is shown here.",
        ])
      if (!values["yes"] && !(await confirm({ askLine }, "Approve exactly this?"))) {
        output.note("Nothing was approved.")
        return 1
      }
      approveFound(found)
    }
    const { document } = await examineTrust(place, env)
    if (json) output.document(document)
    else output.line(document.approved ? "Approved." : "Not approved: nothing of it runs.")
    return 0
  },
}

type Item = TrustDocument["config"][number]

export function trustLines(output: Output, document: TrustDocument): string[] {
  const { path, home, config, changed, git } = document
  const file = path ?? `${home} (no coppice.yml)`
  const title = changed ? `${file} has changed since you approved it:` : `${file} says:`
  const parts = [...(config.length > 0 || changed ? section(output, title, config) : [])]
  if (git.length > 0)
    parts.push(...section(output, "Git configurations of repositories set these:", git))
  return parts.length > 0 ? parts : [`${file}: nothing needs an approval.`]
}

const guarded = (output: Output, { reaching }: Found): string[] =>
  reaching.length > 0 ? [...section(output, GUARDED, reaching), REACHING_HINT] : []

const GUARDED =
  "Approved or not, git runs none of these, for they could run files of a contained agent:"

/** In full, with invisible characters and line breaks marked: a person approves all of it. */
const section = (output: Output, title: string, items: readonly Item[]): string[] => [
  output.paint("bold", title),
  ...items.map(({ where, what }) => `  ${mark(reveal(where), /\n/g)}: ${quote(what)}`),
]
