/** What an agent is told when its work comes back: the facts, and the exact commands. Pure. */

export type ConflictFacts = {
  readonly paths: readonly {
    readonly path: string
    /** content, modify/delete, rename, binary, submodule, file/directory, other */
    readonly kind: string
    /** The text between git's conflict markers, bounded; empty where there is none. */
    readonly hunks: string
  }[]
  /** `abbreviated id subject`, newest first, of the commits that touch these paths. */
  readonly theirs: readonly string[]
  readonly ours: readonly string[]
  /** The target's commit that the work conflicts with. */
  readonly target: string
}

export type GateFacts = {
  readonly command: string
  /** `exited with 1`, `timed out after 20 min`: continues a sentence that names the command. */
  readonly verdict: string
  /** The end of its output. */
  readonly output: string
  readonly candidate: string
  /** It ran in a worktree of its own, which is gone. */
  readonly isFresh: boolean
}

export function conflictPrompt(facts: ConflictFacts, target: string): string {
  const files = facts.paths.map(({ path, kind }) => `- ${path} (${kind})`)
  const hunks = facts.paths
    .filter((path) => path.hunks !== "")
    .map(({ path, hunks }) => `${path}:\n\n\`\`\`\n${hunks}\n\`\`\``)
  return [
    `Your work does not apply to ${target}, which has moved on since you started. Nothing of yours is lost.`,
    section("Files in conflict", files),
    section(`On ${target} (${facts.target.slice(0, 12)})`, facts.theirs.map(bullet)),
    section("On your branch", facts.ours.map(bullet)),
    section("Conflicting parts", hunks),
    [
      "Resolve it in this worktree, keeping the intent of both sides:",
      "",
      "    git add --all && git commit -m wip   # only if you have uncommitted changes",
      `    git rebase ${target}`,
      "    # edit the files, then",
      "    git add <files> && GIT_EDITOR=true git rebase --continue",
      "",
      `When it is resolved, stop. Coppice lands the result on ${target}; do not merge or push it yourself.`,
    ].join("\n"),
  ]
    .filter(Boolean)
    .join("\n\n")
}

export function gatePrompt(facts: GateFacts, target: string): string {
  return [
    `Your work was put on top of ${target} and \`${facts.command}\` ${facts.verdict}, so it was not landed.`,
    whereTested(facts, target),
    `The end of its output:\n\n\`\`\`\n${facts.output}\n\`\`\``,
    `Make it pass, then stop. Coppice tests and lands again; do not merge or push it yourself.`,
  ].join("\n\n")
}

function whereTested({ candidate, isFresh }: GateFacts, target: string): string {
  const commit = candidate.slice(0, 12)
  return isFresh
    ? `What was tested (${commit}) stood in a fresh worktree, which is gone; this one is as you left it. \`git rebase ${target}\` brings it to the same files, so that you can run the command yourself.`
    : `This worktree now stands at exactly what was tested (${commit}), so you can run the command yourself.`
}

/** The prompt for what a landing has on record of its conflict or its gate; undefined for neither. */
export function handBackPrompt(details: unknown, target: string): string | undefined {
  const facts = details as { conflict?: ConflictFacts; gate?: GateFacts } | null
  if (facts?.conflict) return conflictPrompt(facts.conflict, target)
  return facts?.gate ? gatePrompt(facts.gate, target) : undefined
}

const bullet = (text: string) => `- ${text}`

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}:\n\n${lines.join("\n")}`
}
