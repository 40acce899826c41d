/** Prompts and commands for commits with files that are not part of the work. Pure. */
import { nameSome } from "../../../base/text/group-paths.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { correctionPrompt } from "./untidy.ts"

export type ForeignFacts = {
  /** Paths that `copy` or `link` placed. */
  readonly placed: readonly string[]
  /** Paths with the content of a placed file. */
  readonly copies: readonly string[]
  /** Files that set-up made, in words; possibly empty. */
  readonly made: string
  /** Files and folders that no commit may hold. */
  readonly paths: readonly string[]
  /** The commit before the work, and its last commit. */
  readonly base: string
  readonly head: string
}

/** Continues a sentence whose subject is the work. */
export function foreignReason({ placed, copies, made }: ForeignFacts): string {
  const parts = [
    placed.length > 0 ? `${nameSome(placed)}, which \`copy\` or \`link\` placed` : "",
    copies.length > 0 ? `${nameSome(copies)}, a copy of a placed file` : "",
    made === "" ? "" : `files that set-up made (${made})`,
  ]
  return `its commits add ${parts.filter(Boolean).join("; and ")}. A person commits on the target first what belongs in the repository`
}

/** Makes one commit of the work without these files. They stay on disk, except copies. */
export function takeOutCommands({ paths, copies, base, head }: ForeignFacts): string[] {
  return [
    `git reset --soft ${base}`,
    `git reset --quiet -- ${paths.map(pathspec).join(" ")}`,
    ...(copies.length > 0 ? [`rm -f -- ${copies.map(shellWord).join(" ")}`] : []),
    `git commit -C ${head}`,
  ]
}

export function foreignPrompt(facts: ForeignFacts, worktree: string | null): string {
  return correctionPrompt(worktree, {
    fault: `${foreignReason(facts)}. These files are not part of your task, and some may be secrets.`,
    why: ["Take them out of every commit of your branch, so that its history never held them:"],
    commands: takeOutCommands(facts),
    end: `If your task needs one of them, ask a person to commit it on the target first. The last command fails if nothing else is left to commit; that is fine. Then stop: Coppice lands the rest. Do not use \`git add -A\` again unless .gitignore names these files.`,
  })
}

const pathspec = (path: string) =>
  shellWord(/[*?[\]\\:]/.test(path) ? `:(top,literal)${path}` : path)
