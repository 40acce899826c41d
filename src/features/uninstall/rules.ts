/** The git commands by which a person saves what is left after `uninstall`, or gives it up. */
import { shellWord } from "../../base/text/shell-word.ts"

const save = (command: string): string => `to save: \`${command}\``
const giveUp = (command: string): string => `to give up: \`${command}\``
const gitIn = (repo: string): string => `git -C ${shellWord(repo)}`

/** @param branch the one that is checked out there; undefined when detached. */
export function worktreeCommands(
  repo: string,
  path: string,
  branch: string | undefined,
): readonly string[] {
  const git = gitIn(repo)
  const remove = `${git} worktree remove --force ${shellWord(path)}`
  if (branch === undefined)
    return [save(`git -C ${shellWord(path)} switch -c <branch>`), giveUp(remove)]
  const name = shellWord(branch)
  return [
    `to save: commit there, then \`${git} merge ${name}\``,
    giveUp(`${remove} && ${git} branch -D ${name}`),
  ]
}

export function branchCommands(repo: string, branch: string): readonly string[] {
  const [git, name] = [gitIn(repo), shellWord(branch)]
  return [save(`${git} merge ${name}`), giveUp(`${git} branch -D ${name}`)]
}

export function refCommands(repo: string, ref: string): readonly string[] {
  const [git, name] = [gitIn(repo), shellWord(ref)]
  const branch = shellWord(`saved/${ref.replace(/^refs\/coppice\/(rescue\/)?/, "")}`)
  const drop = `${git} update-ref -d ${name}`
  return [save(`${git} branch ${branch} ${name} && ${drop}`), giveUp(drop)]
}
