/** The preview of a landing, for each repository. */

import type { LandingPlanDocument } from "../../api/wire/landings.ts"
import { oneLine } from "../../base/text/one-line.ts"
import { formatTable } from "../../surfaces/cli/format/table.ts"
import { plural } from "../../surfaces/cli/format/text.ts"
import type { Output } from "../../surfaces/cli/output.ts"

type RepoPreview = LandingPlanDocument["repos"][number]

export function previewLines(output: Output, { repos }: LandingPlanDocument): string[] {
  return repos.flatMap((preview) => {
    const { branch, head, name, target, base } = preview
    const work = `${branch ?? "work"}${head ? ` (${head.slice(0, 8)})` : ""}`
    const heading = `${work} onto ${target}${base ? ` (${base.slice(0, 8)})` : ""} of ${name}`
    const rows = rowsOf(preview).filter(([, value]) => value !== "")
    const painted = rows.map(([key, value]) => [`  ${output.paint("dim", key)}`, oneLine(value)])
    return [output.paint("bold", oneLine(heading)), ...formatTable(painted)]
  })
}

function rowsOf(preview: RepoPreview): [string, string][] {
  const { gateFiles, removes, leftovers, candidate } = preview
  const left = leftovers.paths.length === 0 ? "" : leftovers.paths.join(", ")
  const lands = leftovers.land ? "commits first" : "left out"
  if (candidate === null)
    return [
      ["way", wayOf(preview)],
      [lands, left],
    ]
  return [
    ["way", wayOf(preview)],
    ["gate", gateOf(preview)],
    ["note", gateFiles.length > 0 ? `changes what Coppice runs: ${gateFiles.join(", ")}` : ""],
    ["publish", publishOf(preview)],
    [lands, left],
    ["removes", removes.length > 0 ? removes.join(", ") : "nothing"],
  ]
}

function wayOf({ way, commits, conflicts, reason }: RepoPreview): string {
  if (way === "replay") return `replay of ${plural(commits, "commit")}`
  if (way === "squash") return `${plural(commits, "commit")} squashed into one`
  if (way === "fast-forward") return `fast-forward by ${plural(commits, "commit")}`
  if (way === "nothing") return "nothing to land"
  if (way === "refused") return `refused: ${reason}`
  const named = conflicts.map(({ path, kind, driver }) =>
    driver === null
      ? `${path} (${kind})`
      : `${path} (${kind}, for its merge driver ${driver} to try)`,
  )
  return `conflict in ${named.join(", ")}`
}

function gateOf({ gate }: RepoPreview): string {
  if (!gate) return "none: nothing is tested"
  if (gate.remembered) return `${gate.command}: ${gate.remembered} before on these very files`
  return `${gate.command}, in ${gate.worktree ?? "a fresh worktree"}`
}

function publishOf({ publish, target }: RepoPreview): string {
  if (publish.kind === "checkout") return `${target} moves, and ${publish.checkout} with it`
  if (publish.kind === "ref") return `${target} moves; it is checked out nowhere`
  return `would wait: ${publish.reason} ${publish.paths.join(", ")}`
}
