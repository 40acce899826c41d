/** Draws the script of an agent's first turn. */
import type { Dice } from "../dice.ts"
import { quote } from "../shell.ts"
import type { Focus } from "./focus.ts"
import { hostileLines, pickHostile } from "./hostile.ts"

/** Few, so that tasks collide with each other and the user. */
const SHARED = 4
const STEPS_MAX = 4
/** The share of tasks whose agent also does something hostile. */
const HOSTILE_SHARE = 0.3
/** The share of tasks that a focus concerns. */
const FOCUS_SHARE = 0.5

/**
 * A tracked file by its number, modulo their count: no link, no submodule, no file that identifies
 * a task.
 */
const tracked = (dice: Dice) =>
  `files() { git ls-files -s | grep '^100' | cut -f2- | grep -v '^"\\|^torture/only-'; }; path=$(files | sed -n "$((1 + ${dice.below(1_000_000)} % $(files | wc -l)))p")`

// biome-ignore format: a table reads best as one
const STEPS: readonly (readonly [(dice: Dice) => string, weight: number])[] = [
  [(dice) => `echo "task $COPPICE_TASK" >> torture/shared-${dice.below(SHARED)}.txt`, 5],
  [(dice) => `echo "task $COPPICE_TASK" > torture/pool-${dice.below(SHARED)}.txt`, 3],
  [(dice) => `echo "task $COPPICE_TASK" > torture/pool-${dice.below(SHARED)}.mine; git add --force torture/*.mine`, 3],
  [(dice) => `${tracked(dice)}; [ -f "$path" ] && echo "# task $COPPICE_TASK" >> "$path"`, 4],
  [(dice) => `${tracked(dice)}; [ -f "$path" ] && git mv -- "$path" "$path.moved"`, 1],
  [(dice) => `${tracked(dice)}; [ -f "$path" ] && git rm --quiet --force -- "$path"`, 1],
  [(dice) => `${tracked(dice)}; [ -f "$path" ] && chmod +x -- "$path"`, 1],
  [(dice) => `head -c ${1 + dice.below(20_000)} /dev/urandom > torture/binary-${dice.below(SHARED)}`, 2],
  [() => `ln -sf "task-$COPPICE_TASK" torture/link`, 1],
  [() => `printf 'a\\r\\nb\\r\\n' >> torture/crlf.txt`, 1],
  [() => `: > "torture/$(printf 'n\\303\\266n \\377')-$COPPICE_TASK"`, 1],
  [() => `mkdir -p "torture/dir-$COPPICE_TASK/in" && echo x > "torture/dir-$COPPICE_TASK/in/x"`, 1],
  [(dice) => `rm -rf torture/flip; ${dice.chance(0.5) ? "echo file > torture/flip" : "mkdir torture/flip && echo in > torture/flip/in"}`, 1],
  [() => `touch "torture/red-$COPPICE_TASK"`, 0.7],
  [() => "git commit --quiet --allow-empty --message 'on purpose empty'", 0.7],
  [() => `commit own; echo more >> "torture/amended-$COPPICE_TASK"; git add -A; git commit --quiet --amend --no-edit; made`, 1.5],
  [() => `commit before; echo lost >> "torture/lost-$COPPICE_TASK"; commit lost; git reset --quiet --hard HEAD~1; mkdir -p torture`, 1.5],
]
/** How a turn ends, in shell; and what it leaves running, or uncommitted. */
const ENDS: readonly (readonly [string, weight: number])[] = [
  ["", 12],
  ["echo left > torture/left-$COPPICE_TASK", 4],
  [
    "echo staged > torture/staged-$COPPICE_TASK; git add torture; echo more >> torture/staged-$COPPICE_TASK",
    3,
  ],
  ["git checkout --quiet --detach", 1],
  ["sleep 300 &", 2],
  ["ends=75; echo a person has to decide", 1],
  ["ends=3", 1],
  ["echo left > torture/left-$COPPICE_TASK; ends=3", 3],
]

/** The agent's actions in the second repository. */
const second = (n: number) => [
  `both() { echo "task $COPPICE_TASK" > torture/only-${n}.txt; echo "task $COPPICE_TASK" >> torture/shared-${n % SHARED}.txt; commit ${quote(`play ${n}, in the other one`)}; }`,
  "second both",
]

/** A prompt for the agent of programs.ts. `n` names the file by which its landing is recognised. */
export function agentWork(dice: Dice, n: number, focus?: Focus): string {
  const hostile = dice.chance(HOSTILE_SHARE) ? pickHostile(dice) : undefined
  const lines = hostile?.when === "first" ? [hostileLines(hostile, n)] : []
  lines.push(`echo "task $COPPICE_TASK" > torture/only-${n}.txt`)
  const steps = 1 + dice.below(STEPS_MAX)
  for (let step = 1; step <= steps; step++) {
    lines.push(dice.pickWeighted(STEPS)?.(dice) ?? "")
    if (dice.chance(0.3)) lines.push(`sleep 0.${1 + dice.below(9)}`)
    if (dice.chance(0.7) || step === 1) lines.push(`commit ${quote(`play ${n}, step ${step}`)}`)
  }
  const end = dice.pickWeighted(ENDS) ?? ""
  const meant = focus && dice.chance(FOCUS_SHARE) ? focus : undefined
  if (meant?.work) lines.push(meant.work, `commit ${quote(`play ${n}, focus`)}`)
  lines.push(...second(n), meant?.end ?? end)
  if (hostile?.when === "last") lines.push(hostileLines(hostile, n))
  return [...lines, ""].join("\n")
}
