/** The prompt of an agent whose work did not land: the facts, and the exact commands. Pure. */

import { fenced, quoted } from "../../../base/text/fence.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { type PullFacts, pullPrompt } from "../../../features/pull-requests/prompts.ts"
import { changesPrompt, type ReviewFacts } from "../../../features/reviews/prompts.ts"
import { type ForeignFacts, foreignPrompt } from "./foreign-files.ts"
import { type StashFacts, stashPrompt } from "./popped-stash.ts"
import { type StaleFacts, stalePrompt } from "./stale-files.ts"
import { type UntidyFacts, untidyPrompt } from "./untidy.ts"

export type ConflictFacts = {
  readonly paths: readonly {
    readonly path: string
    /** content, modify/delete, rename/rename, binary, …: src/kernel/git/change/merge-conflict.ts */
    readonly kind: string
    /** The change of each side, in words; empty if unknown. */
    readonly sides: string
    /** The text between git's conflict markers, bounded; possibly empty. */
    readonly hunks: string
  }[]
  readonly more: number
  /** `abbreviated id subject`, newest first, of the commits that touch these paths. */
  readonly theirs: readonly string[]
  readonly ours: readonly string[]
  /** The target's commit that the work conflicts with. */
  readonly target: string
  /** The commit after which the work begins, if it starts from another task's work. */
  readonly since?: string
}

export type GateFacts = {
  readonly command: string
  /** `exited with 1`, `timed out after 20 min`: continues a sentence that names the command. */
  readonly verdict: string
  /** The end of its output, or a patch of what it changed. */
  readonly output: string
  readonly candidate: string
  /** The gate ran in a disposable worktree, which is gone. */
  readonly isFresh: boolean
  /** The command passed, after it had changed the work that it tested. */
  readonly isOwnChange?: boolean
}

/** The target, and the worktree that needs repair. */
export type HandBackPlace = {
  /** Branch name of the target. */
  readonly target: string
  /** Absolute path, if the task has several worktrees; null for the current one. */
  readonly worktree: string | null
}

/** The files in conflict, the commits of both sides, and the parts. @param names of the sides. */
export function conflictSections(
  facts: ConflictFacts,
  { theirs, ours }: Readonly<Record<"theirs" | "ours", string>>,
): string[] {
  const hunks = facts.paths
    .filter((path) => path.hunks !== "")
    .map(({ path, hunks }) => `${oneLine(path)}:\n\n${fenced(hunks)}`)
  return [
    section(
      "Files in conflict",
      conflictLines(facts).map((line) => bullet(oneLine(line))),
    ),
    section(`On ${theirs}`, commits(facts.theirs)),
    section(`On ${ours}`, commits(facts.ours)),
    section("Conflicting parts", hunks),
  ].filter(Boolean)
}

export function conflictPrompt(facts: ConflictFacts, { target, worktree }: HandBackPlace): string {
  const { since } = facts
  const onto = facts.target.slice(0, 12)
  const [below, command] =
    since === undefined
      ? [
          `${target}, which has moved on since you started`,
          `git rebase ${shellWord(target)}                   # these two are \`coppice agent rebase_to_main\``,
        ]
      : [
          `commit ${onto}: the task whose work yours starts from has changed it, or landed`,
          `git rebase --onto ${onto} ${since.slice(0, 12)}   # your own commits alone`,
        ]
  return [
    `Your work does not apply to ${below}. Nothing of yours is lost.`,
    ...conflictSections(facts, {
      theirs: since === undefined ? `${target} (${onto})` : onto,
      ours: "your branch",
    }),
    [
      `Resolve it in ${worktree ?? "this worktree"}, keeping the intent of both sides:`,
      "",
      ...(worktree === null ? [] : [`    cd ${shellWord(worktree)}`]),
      "    git add --all && git commit -m wip   # only if you have uncommitted changes",
      `    ${command}`,
      "    # edit the files, then",
      "    git add <files> && GIT_EDITOR=true git rebase --continue",
      "",
      `When it is resolved, stop. Coppice lands the result on ${target}; do not merge or push it yourself.`,
    ].join("\n"),
  ].join("\n\n")
}

export function conflictLines({ paths, more }: Pick<ConflictFacts, "paths" | "more">): string[] {
  const lines = paths.map(({ path, kind, sides }) => `${path} (${kind})${sides && `: ${sides}`}`)
  return more > 0 ? [...lines, `… and ${more} more`] : lines
}

export function gatePrompt(facts: GateFacts, place: HandBackPlace): string {
  return [
    `Your work was put on top of ${place.target} and \`${facts.command}\` ${facts.verdict}, so it was not landed.`,
    whereTested(facts, place),
    facts.isOwnChange
      ? `Its change:\n\n${quoted(facts.output)}`
      : `The end of its output:\n\n${quoted(facts.output)}`,
    `${facts.isOwnChange ? "Commit what belongs to your work, and list in .gitignore what does not" : "Make it pass"}, then stop. Coppice tests and lands again; do not merge or push it yourself.`,
  ].join("\n\n")
}

function whereTested(
  { candidate, isFresh }: GateFacts,
  { target, worktree }: HandBackPlace,
): string {
  const commit = candidate.slice(0, 12)
  return isFresh
    ? `The tested commit (${commit}) was in a fresh worktree, which is gone; ${worktree ?? "this one"} is as you left it. \`git rebase ${shellWord(target)}\` brings it to the same files, so that you can run the command yourself.`
    : `${worktree ?? "This worktree"} now has the tested commit (${commit}) checked out${worktree === null ? "" : ", and your other worktrees have those that go with it"}, so you can run the command yourself.`
}

/** The reasons for handing a landing back: one of them. */
export type HandBackReasons = {
  readonly conflict: ConflictFacts
  readonly gate: GateFacts
  readonly foreign: ForeignFacts
  readonly untidy: UntidyFacts
  readonly stale: StaleFacts
  readonly stash: StashFacts
  readonly pull: PullFacts
  readonly review: ReviewFacts
}

/** The recorded reason. */
export type HandBackDetails = { readonly repo: string } & Partial<HandBackReasons>

/** The prompt for the recorded reason; undefined without one. */
export function handBackPrompt(
  details: Partial<HandBackReasons>,
  place: HandBackPlace,
): string | undefined {
  if (details.conflict) return conflictPrompt(details.conflict, place)
  if (details.foreign) return foreignPrompt(details.foreign, place.worktree)
  if (details.untidy) return untidyPrompt(details.untidy, place.worktree)
  if (details.stale) return stalePrompt(details.stale, place.worktree)
  if (details.stash) return stashPrompt(details.stash, place.worktree)
  if (details.pull) return pullPrompt(details.pull, place.worktree)
  if (details.review) return changesPrompt(details.review, place.worktree)
  return details.gate ? gatePrompt(details.gate, place) : undefined
}

/** Others wrote their subjects. */
const commits = (lines: readonly string[]) => (lines.length === 0 ? [] : [quoted(lines.join("\n"))])

const bullet = (text: string) => `- ${text}`

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}:\n\n${lines.join("\n")}`
}
