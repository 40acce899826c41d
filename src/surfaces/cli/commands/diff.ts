/** `diff <task>`: shows what a task's work changes. */
import type { DiffDocument } from "../../../api/wire/landings.ts"
import type { Command, Values } from "../command.ts"
import { UsageError } from "../errors.ts"
import { type DiffView, diffLines, diffNotes, repoName } from "../format/diff.ts"
import { oneTask, textValue } from "../operands.ts"

const AGAINST = ["base", "target"] as const

export const command: Command = {
  operands: "<task>",
  options: {
    against: { type: "string", value: "<side>", about: "base (default) or target" },
    repo: { type: "string", value: "<repo>", about: "Only this repository" },
    stat: { type: "boolean", about: "Only the number of changed lines in each file" },
    "name-only": { type: "boolean", about: "Only the names of the files" },
  },
  details: [
    "Against its base: the work itself. Against the target: the change that landing it now would make.",
    "Includes uncommitted changes, which stay as they are. A landed task shows what landed.",
  ].join("\n"),

  async run({ connect, output, json }, positionals, values) {
    const task = oneTask(positionals, "diff")
    const repo = textValue(values, "repo")
    const query = { against: sideFrom(values), ...(repo !== undefined && { repo }) }
    const view = viewFrom(values)
    const diff: DiffDocument = await (await connect()).diff(task, query)
    if (json) output.document(diff)
    else
      for (const repo of diff.repos) {
        // In a patch, stdout has nothing else, so that it applies.
        if (diff.repos.length > 1 && view !== "patch") output.line(repoName(output, repo))
        else if (diff.repos.length > 1) output.note(repoName(output, repo))
        for (const note of diffNotes(repo)) output.note(note)
        const lines = diffLines(output, repo, view)
        if (view === "patch") output.verbatim(lines)
        else output.lines(lines)
      }
    return 0
  },
}

function sideFrom(values: Values): (typeof AGAINST)[number] {
  const given = textValue(values, "against") ?? "base"
  const side = AGAINST.find((candidate) => candidate === given)
  if (!side) throw new UsageError(`--against takes ${AGAINST.join(" or ")}, not ${given}.`)
  return side
}

function viewFrom(values: Values): DiffView {
  if (values["stat"] && values["name-only"])
    throw new UsageError("--stat and --name-only exclude each other.")
  if (values["stat"]) return "stat"
  return values["name-only"] ? "names" : "patch"
}
