/** `agent rebase_to_main`: rebases an agent's work onto the target. */
import { sayVerb } from "../../../api/client/send-verb.ts"
import type { RebasedDocument } from "../../../api/wire/agent.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import type { Command } from "../../../surfaces/cli/command.ts"
import { noOperands, textValue } from "../../../surfaces/cli/operands.ts"

export const command: Command = {
  operands: "",
  options: { repo: { type: "string", value: "<repo>", about: "Only this repository of the task" } },
  details: [
    "For agents, in their own worktree. Commits uncommitted files and saves all work under a rescue ref",
    "first. Exits 1 if a conflict must be resolved.",
  ].join("\n"),

  async run({ output, json, env }, positionals, values) {
    noOperands(positionals, "agent rebase_to_main")
    const repo = textValue(values, "repo")
    const rebased = await sayVerb(env, "rebase_to_main", repo ? { repo } : {})
    if (json) output.document(rebased)
    else output.lines(rebasedLines(rebased))
    return rebased.kind === "rebased" || rebased.kind === "upToDate" ? 0 : 1
  },
}

function rebasedLines(rebased: RebasedDocument): string[] {
  const { kind, target, onto, rescue, paths, reason } = rebased
  const on = `${target} (${onto?.slice(0, 12)})`
  const before = [
    ...submoduleLines(rebased),
    ...(rescue === null ? [] : [`Your work from before the rebase is saved as ${rescue}.`]),
  ]
  if (kind === "refused") return [`Nothing has changed: ${reason}.`]
  if (kind === "upToDate") return [`Your branch already contains all of ${on}.`]
  if (kind === "rebased") return [`Your commits are now based on ${on}.`, ...before]
  return [
    `A rebase onto ${on} is in progress. In conflict:`,
    ...paths.map((path) => `  ${path}`),
    "Keep the intent of both sides. Then, each time the rebase stops:",
    "  git add <files> && GIT_EDITOR=true git rebase --continue",
    ...before,
  ]
}

const submoduleLines = ({ submodules }: RebasedDocument): string[] =>
  submodules.length === 0
    ? []
    : [
        "These submodules are still at the commits of before. A commit of them would take back the target's:",
        `  git submodule update -- ${submodules.map(shellWord).join(" ")}`,
      ]
