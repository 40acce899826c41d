/**
 * Careless and hostile acts of agents on their worktree, their branch and the repository: a line of
 * shell each, run by the agent of programs.ts after its work.
 *
 * Each is noted before it happens, so that the report counts actual tries.
 */
import type { Dice } from "../dice.ts"
import { quote } from "../shell.ts"

export type Hostile = {
  readonly name: string
  readonly weight: number
  /** `first` before the agent's own commits, `last` when everything else is done. */
  readonly when: "first" | "last"
  /** @param n the number of the task's own file, `torture/only-<n>.txt`. */
  script(n: number): string
}

const OWN = `"$(git rev-parse --git-dir)"`
const COMMON = `"$(git rev-parse --path-format=absolute --git-common-dir)"`
/** The agent writes its own file again if it has thrown its commits away. */
const redo = (n: number) =>
  `mkdir -p torture; echo "task $COPPICE_TASK" > torture/only-${n}.txt; commit again`
/** Notes files of another landing, which the agent may now bring to the target a second time. */
const NOTE_FOREIGN = `git diff-tree -r --name-only --diff-filter=A HEAD^ HEAD -- torture | while read -r path; do note again "$path"; done`

export const HOSTILE: readonly Hostile[] = [
  {
    name: "amends the target's commit",
    weight: 2,
    when: "first",
    script: () =>
      `if git rev-parse --quiet --verify HEAD^ > /dev/null; then ${NOTE_FOREIGN}; echo more > "torture/foreign-$COPPICE_TASK"; git add torture; git commit --quiet --amend --no-edit; made; fi`,
  },
  {
    name: "resets behind its base",
    weight: 2,
    when: "last",
    script: (n) => `commit before; git reset --quiet --hard "$COPPICE_BASE_SHA~1"; ${redo(n)}`,
  },
  {
    name: "rebases its branch",
    weight: 2,
    when: "last",
    script: () =>
      `commit before; git rebase --quiet "$COPPICE_WORKTREE_BASE_BRANCH" || git rebase --abort; made`,
  },
  {
    name: "renames its branch",
    weight: 2,
    when: "last",
    script: () => `git branch --move "renamed-$COPPICE_TASK"`,
  },
  {
    name: "checks out a branch of its own",
    weight: 2,
    when: "last",
    script: () => `git checkout --quiet -b "own-$COPPICE_TASK"`,
  },
  {
    name: "leaves an index.lock",
    weight: 1,
    when: "last",
    script: () => `: > "$(git rev-parse --git-path index.lock)"`,
  },
  {
    name: "leaves processes in other sessions that ignore TERM",
    weight: 2,
    when: "last",
    script: () =>
      `(trap '' TERM HUP; setsid sleep 400 < /dev/null > /dev/null 2>&1 & nohup sleep 400 < /dev/null > /dev/null 2>&1 &)`,
  },
  {
    name: "makes pipes among its files",
    weight: 2,
    when: "last",
    script: () => `mkfifo "torture/pipe-$COPPICE_TASK" ${OWN}/pipe`,
  },
  {
    name: "says that its worktree is the user's checkout",
    weight: 2,
    when: "last",
    script: () => `echo "$COPPICE_REPO_ROOT/.git" > ${OWN}/gitdir`,
  },
  {
    name: "says that the user's worktrees are its own",
    weight: 2,
    when: "last",
    script: () =>
      `for entry in ${COMMON}/worktrees/linked ${COMMON}/worktrees/user-worktree-*; do [ -d "$entry" ] && [ -e ${OWN}/coppice.json ] && cp ${OWN}/coppice.json "$entry/coppice.json"; done`,
  },
  {
    name: "says that the user's worktrees are those of a task that is gone",
    weight: 2,
    when: "last",
    script: () =>
      `for entry in ${COMMON}/worktrees/linked ${COMMON}/worktrees/user-worktree-*; do [ -d "$entry" ] && [ -e ${OWN}/coppice.json ] && sed 's/"task": *"*[0-9]*/&999/' ${OWN}/coppice.json > "$entry/coppice.json"; done`,
  },
  {
    // Locked, or a `git worktree prune` of the user's would take it for the right one.
    name: "invents a worktree in the user's place",
    weight: 1,
    when: "last",
    script: () =>
      `entry=${COMMON}/worktrees/invented-$COPPICE_TASK; mkdir "$entry" && cp ${OWN}/commondir "$entry" && cat ${COMMON}/worktrees/linked/gitdir > "$entry/gitdir" && git rev-parse HEAD > "$entry/HEAD" && : > "$entry/locked"; [ -e ${OWN}/coppice.json ] && cp ${OWN}/coppice.json "$entry"`,
  },
]

/** After these the agent's own worktree may be kept, as long as Coppice reports it. */
export const FORGERIES: readonly string[] = HOSTILE.map(({ name }) => name).filter((name) =>
  /^(says|invents)/.test(name),
)

export function pickHostile(dice: Dice): Hostile | undefined {
  return dice.pickWeighted(HOSTILE.map((one) => [one, one.weight]))
}

export const hostileLines = ({ name, script }: Hostile, n: number): string =>
  `note hostile ${quote(name)}\n${script(n)}`
