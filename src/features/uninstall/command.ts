/** `uninstall`: shows what Coppice made, asks, and removes what holds no work. */
import { refuseAgents } from "../../api/client/connect.ts"
import { findHome } from "../../api/client/home.ts"
import type { UninstallDocument, UninstalledHome, UninstallItem } from "../../api/wire/shell.ts"
import { oneLine } from "../../base/text/one-line.ts"
import { shellWord } from "../../base/text/shell-word.ts"
import type { Command, Shell } from "../../surfaces/cli/command.ts"
import { confirm, YES } from "../../surfaces/cli/confirm.ts"
import { UsageError } from "../../surfaces/cli/errors.ts"
import { noOperands } from "../../surfaces/cli/operands.ts"
import type { Output } from "../../surfaces/cli/output.ts"
import { endDaemonOf, findCache, removeUserFolders } from "./remove-folders.ts"

export const command: Command = {
  operands: "",
  options: {
    "all-homes": { type: "boolean", about: "Remove all of your homes" },
    "dry-run": { type: "boolean", about: "Only show what would be removed" },
    yes: YES,
  },
  details:
    "Ends the daemon and removes the home's state, and the worktrees, refs and files of Coppice in its\n" +
    "repositories. Work that is nowhere else stays as plain git, with the commands that save it or\n" +
    "give it up. Afterwards, run it again. It asks on a terminal. The program itself goes with\n" +
    "`npm uninstall -g coppice`.",

  async run(shell, positionals, values) {
    noOperands(positionals, "uninstall")
    refuseAgents(shell.env)
    const homes = values["all-homes"] === true ? await knownHomes(shell) : [currentHome(shell)]
    const preview = await carryOut(shell, homes, true)
    const isDryRun = values["dry-run"] === true
    if (isDryRun || !hasRemovals(preview)) return show(shell, preview)
    if (!values["yes"]) {
      if (!shell.askLine)
        throw new UsageError("Nothing was removed: there is no terminal to ask on.", [
          "`coppice uninstall --dry-run` shows what would be removed; `--yes` removes it.",
        ])
      show(shell, preview)
      if (!(await confirm(shell, "Remove this?"))) {
        shell.output.note("Nothing was removed.")
        return 1
      }
    }
    return show(shell, await carryOut(shell, homes, false))
  },
}

const knownHomes = async ({ listHomes }: Shell): Promise<readonly string[]> =>
  (await listHomes()).homes.map(({ home }) => home)

/** A home above the repository must be named: its tasks are not only of this repository. */
function currentHome({ cwd, env, home, output }: Shell): string {
  const own = findHome(cwd, { home, env, above: false }).home
  const above = findHome(cwd, { home, env }).home
  if (above !== own)
    output.note(
      `${own} belongs to the home ${above}: \`coppice uninstall --home ${shellWord(above)}\` is for that one.`,
    )
  return own
}

async function carryOut(
  shell: Shell,
  homes: readonly string[],
  isDryRun: boolean,
): Promise<UninstallDocument> {
  const { env, uninstallHome } = shell
  const done: UninstalledHome[] = []
  for (const home of homes) {
    if (!isDryRun) await endDaemonOf(home, env)
    done.push(await uninstallHome(home, { isDryRun }))
  }
  const going = done.flatMap(({ home, problem }) => (problem === null ? [home] : []))
  const others = (await knownHomes(shell)).filter((home) => !isDryRun || !going.includes(home))
  const cache = others.length > 0 ? null : findCache(env)
  if (!isDryRun && cache !== null) removeUserFolders(cache, env)
  return { dryRun: isDryRun, homes: done, cache }
}

const isNothing = ({ homes }: UninstallDocument): boolean =>
  homes.every(({ items, problem }) => items.length === 0 && problem === null)

const hasRemovals = ({ homes }: UninstallDocument): boolean =>
  homes.some(({ items }) => items.some(({ action }) => action === "remove"))

/** @returns the exit code. */
function show({ output, json }: Shell, document: UninstallDocument): number {
  const { homes, cache, dryRun } = document
  if (json) output.document(document)
  else if (isNothing(document)) output.line("There is nothing of Coppice here.")
  else {
    output.lines(homes.flatMap((home) => homeLines(output, home)))
    if (cache !== null) output.line(`${dryRun ? "remove " : "removed"}  ${cache}: compiled code`)
  }
  const isBad = ({ items, problem }: UninstalledHome) =>
    problem !== null || items.some(({ removed }) => removed === false)
  return homes.some(isBad) ? 1 : 0
}

function homeLines(output: Output, { home, items, problem }: UninstalledHome): string[] {
  const problems = problem === null ? [] : problem.split("\n").map((line) => `  ${oneLine(line)}`)
  return [output.paint("bold", oneLine(home)), ...problems, ...items.flatMap(itemLines)]
}

function itemLines({ kind, name, action, why, commands, removed }: UninstallItem): string[] {
  const word = action === "keep" ? "keep   " : removed === null ? "remove " : doneWord(removed)
  return [
    `  ${word}  ${kind} ${oneLine(name)}: ${oneLine(why)}`,
    ...commands.map((command) => `             ${oneLine(command)}`),
  ]
}

const doneWord = (isRemoved: boolean): string => (isRemoved ? "removed" : "failed ")
