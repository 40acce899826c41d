/** `recover [ref]`: lists every rescue, or makes a branch of one. */
import { oneLine } from "../../base/text/one-line.ts"
import { bytesText } from "../../base/text/sizes.ts"
import type { Command, Shell } from "../../surfaces/cli/command.ts"
import { UsageError } from "../../surfaces/cli/errors.ts"
import { plural } from "../../surfaces/cli/format/text.ts"
import { ageText } from "../../surfaces/cli/format/time.ts"
import { textValue } from "../../surfaces/cli/operands.ts"
import type { Output } from "../../surfaces/cli/output.ts"
import type { RescueDocument, RescuesDocument, RestoredDocument } from "./wire.ts"

const DAY_MS = 24 * 3_600_000
/** Files and commits shown for one rescue. */
const SHOWN_MAX = 8

export const command: Command = {
  operands: "[ref]",
  options: {
    branch: { type: "string", value: "<name>", about: "Name of the branch to make" },
    repo: { type: "string", value: "<path>", about: "Choose the rescue in this repository" },
  },
  details:
    "Without a ref, lists what was saved. With one, or its end (`7/1`), makes a branch of it.",

  async run(shell, positionals, values) {
    const [ref, ...rest] = positionals
    const given = { branch: textValue(values, "branch"), repo: textValue(values, "repo") }
    if (rest.length > 0) throw new UsageError("`recover` takes one ref.", [LIST_HINT])
    if (ref === undefined && (given.branch ?? given.repo))
      throw new UsageError("Name the rescue to restore.", [LIST_HINT])
    if (ref === undefined) await list(shell)
    else await restore(shell, { ref, ...given })
    return 0
  },
}

const LIST_HINT = "`coppice recover` lists the rescues."

async function list({ connect, output, json, nowMs }: Shell): Promise<void> {
  const rescues = await (await connect()).rescues()
  if (json) output.document(rescues)
  else output.lines(listLines(output, rescues, nowMs))
}

type Wanted = { readonly ref: string; branch: string | undefined; repo: string | undefined }

async function restore({ connect, output, json }: Shell, wanted: Wanted): Promise<void> {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
  const restored = await (await connect()).restore(Object.fromEntries(given) as { ref: string })
  if (json) output.document(restored)
  else output.lines(restoredLines(restored))
}

function listLines(output: Output, { rescues, bounds }: RescuesDocument, nowMs: number): string[] {
  if (rescues.length === 0) return ["Nothing was rescued."]
  const lines = rescues.flatMap((rescue) => rescueLines(output, rescue, nowMs))
  return [
    ...lines,
    "",
    boundsLine(bounds),
    "`coppice recover <ref>` makes a branch of one. The end of a ref, such as `7/1`, is enough.",
  ]
}

function boundsLine({ maxAgeMs, maxCount, maxBytes, minAgeMs }: RescuesDocument["bounds"]): string {
  const most = `Each repository keeps at most ${maxCount} rescues and ${bytesText(maxBytes)}, for ${days(maxAgeMs)}`
  return `${most} (\`maintenance.rescue\`). A rescue stays for at least ${days(minAgeMs)}.`
}

const days = (ms: number): string => plural(Math.round(ms / DAY_MS), "day")

function rescueLines(output: Output, rescue: RescueDocument, nowMs: number): string[] {
  const { ref, repo, commit, at, expiresAt, task, otherHome, reason, files, filesInAll, commits } =
    rescue
  const when = `${ageText(at, nowMs)} ago${reason && `, ${oneLine(reason)}`}`
  const shown = files.map(({ path, status }) => `${status} ${path}`)
  return [
    `${output.paint("bold", ref)}  ${commit.slice(0, 8)}`,
    `  ${task === "pool" ? "a pool" : `task ${task}`}${otherHome ? " of another home" : ""}, ${when}`,
    `  in ${oneLine(repo)}${expiresAt === null ? "" : `, until ${expiresAt.slice(0, 10)}`}`,
    ...section(plural(filesInAll, "uncommitted file"), shown, filesInAll),
    ...section(`${plural(commits.length, "commit")} on no branch`, commits, commits.length),
  ]
}

function section(heading: string, items: readonly string[], inAll: number): string[] {
  if (inAll === 0) return []
  const shown = items.slice(0, SHOWN_MAX).map((item) => `    ${oneLine(item)}`)
  const more = inAll - shown.length
  return [`  ${heading}:`, ...shown, ...(more > 0 ? [`    … ${more} more`] : [])]
}

function restoredLines({ ref, repo, branch, look }: RestoredDocument): string[] {
  return [
    `${branch} in ${oneLine(repo)} now holds ${ref}. To look at it:`,
    ...look.map((command) => `  ${command}`),
  ]
}
