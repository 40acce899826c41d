/** `run "<prompt>"`: gives an agent a task, shows the settings in use, and watches it. */
import type { Client } from "../../../api/client/client.ts"
import type { NewTask, TakenDocument } from "../../../api/wire/requests.ts"
import type { TaskDocument } from "../../../api/wire/tasks.ts"
import { AppError } from "../../../base/errors.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { splitWords } from "../../../base/text/split-words.ts"
import { ATTACH, attachedFiles } from "../attached-files.ts"
import type { Command, Shell, Values } from "../command.ts"
import { UsageError } from "../errors.ts"
import { formatTable } from "../format/table.ts"
import { textValue } from "../operands.ts"
import type { Output } from "../output.ts"
import { ORDER, orderFrom } from "../queue-options.ts"
import { DETACH, watchToEnd } from "../watch-to-end.ts"

const MODES = ["merge", "approve", "pr", "none"] as const
const PLANS = ["none", "auto", "approve"] as const

export const command: Command = {
  operands: "[prompt]",
  options: {
    agent: {
      type: "string",
      value: "<agent>",
      about: "Use this agent: of coppice.yml, or a known program such as codex",
    },
    pick: {
      type: "boolean",
      about: "Give the prompt to each agent of --agent a,b,c; you pick which work lands",
    },
    with: { type: "string", value: "<command>", about: "Use this program as the agent" },
    resume: { type: "string", value: "<command>", about: "The program for its later turns" },
    model: { type: "string", value: "<model>", about: "Use this model, instead of the agent's" },
    title: { type: "string", value: "<title>", about: "Title of the task" },
    "work-item": { type: "string", value: "<id>", about: "Its id in a tracker" },
    repo: {
      type: "string",
      value: "<repo>",
      multiple: true,
      about: "Work in this repository; repeat for more",
    },
    land: {
      type: "string",
      value: "<mode>",
      choices: MODES,
      about: "How to land: merge, approve, pr or none",
    },
    ...ORDER,
    on: {
      type: "string",
      value: "<task>",
      about: "Start from this task's work, and land after it",
    },
    fork: {
      type: "string",
      value: "<task>",
      about: "As --on, with a copy of its conversation",
    },
    from: {
      type: "string",
      value: "<work>",
      about: "Go on with a branch, a commit or a pull request (its number)",
    },
    copy: {
      type: "boolean",
      about: "With --from: on a branch of its own, though the work is in use",
    },
    attach: ATTACH,
    plan: {
      type: "string",
      value: "<mode>",
      choices: PLANS,
      about: "Plan first: none, auto or approve",
    },
    "plan-file": {
      type: "string",
      value: "<file>",
      about: "Add the tasks of this list, in YAML or Markdown: all or none",
    },
    "dry-run": { type: "boolean", about: "With --plan-file: only show the tasks" },
    detach: DETACH,
  },
  details:
    "`-` reads the prompt from stdin, `--attach -` a file. Ctrl-C ends the watching, not the task.\n" +
    "In `--with` and `--resume`, {prompt}, {promptFile}, {session} and {turn} are replaced, each as\n" +
    "one argument. No shell reads the command. Without {prompt} or {promptFile}, the prompt is on stdin.\n" +
    "Each task of a plan file has a title; prompt, id, agent, after (ids or titles) and on (the\n" +
    "one whose work it starts from) are optional:\n" +
    "  - title: Add a lexer         |  - Add a lexer\n" +
    "    prompt: Split the input.   |    Split the input.\n" +
    "  - title: Add a parser        |  - Add a parser\n" +
    "    after: Add a lexer         |    after: Add a lexer\n" +
    "YAML also takes model, workItem, repos, land, plan and priority. The options of this command are\n" +
    "the defaults. In Markdown, ticked items (`- [x]`) are left out.",

  async run(shell, positionals, values) {
    const { output } = shell
    const planFile = textValue(values, "plan-file")
    if (planFile !== undefined) return addTasksOfFile(shell, { planFile, positionals }, values)
    if (values["dry-run"] === true) throw new UsageError("`--dry-run` needs `--plan-file`.")
    if (values["pick"] === true) return runAlternatives(shell, positionals, values)
    const files = await filesFrom(shell, positionals, values)
    const prompt = await promptFrom(shell, positionals)
    const request = { prompt, ...settingsFrom(values), ...files }
    const client = await shell.connect()
    const { task, taken } = await createOrAsk(shell, client, request)
    output.lines(runSummary(output, task, taken))

    return watchToEnd(shell, client, { task, detach: values["detach"] === true })
  },
}

async function runAlternatives(
  shell: Shell,
  positionals: readonly string[],
  values: Values,
): Promise<number> {
  const { agent, land, workItem, ...settings } = settingsFrom(values)
  const agents = (agent ?? "").split(",").map((name) => name.trim())
  if (agents.length < 2 || agents.includes(""))
    throw new UsageError("`--pick` needs several agents.", [
      'coppice run --agent claude,codex --pick "Fix the failing test"',
    ])
  const twice = agents.find((name, at) => agents.indexOf(name) !== at)
  if (twice !== undefined)
    throw new UsageError(`\`--pick\` needs different agents, and ${twice} is named twice.`, [
      "Two accounts or models of one program are two agents in coppice.yml.",
    ])
  const isOfOne = [land, workItem, settings.with]
  if (isOfOne.some((one) => one !== undefined))
    throw new UsageError("`--pick` takes no `--land`, `--work-item` or `--with`.")
  const files = await filesFrom(shell, positionals, values)
  const prompt = await promptFrom(shell, positionals)
  const request = { prompt, ...settings, ...(settings.repos ? {} : { cwd: shell.cwd }) }
  const { pickOne } = await import("../../../features/alternatives/pick.ts")
  return pickOne(shell, { request, agents, ...files, detach: values["detach"] === true })
}

const filesFrom = ({ cwd, readStdinBytes }: Shell, [prompt]: readonly string[], values: Values) =>
  attachedFiles(values, { cwd, readStdinBytes, isStdinTaken: prompt === "-" })

async function addTasksOfFile(
  shell: Shell,
  { planFile, positionals }: { readonly planFile: string; readonly positionals: readonly string[] },
  values: Values,
): Promise<number> {
  const { title, workItem, from, ...defaults } = settingsFrom(values)
  const isOfOne = [title, workItem, values["attach"], from].some((one) => one !== undefined)
  if (positionals.length > 0 || isOfOne)
    throw new UsageError(
      "With `--plan-file`, the file has the prompts, titles and work items, and no `--attach` or `--from`.",
    )
  const { runPlanFile, tasksOfPlanFile } = await import("../../../features/plan-files/cli.ts")
  const { cwd } = shell
  const tasks = tasksOfPlanFile(cwd, planFile, defaults.repos ? defaults : { ...defaults, cwd })
  return runPlanFile(shell, tasks, values["dry-run"] === true)
}

/** In a home of several repositories, asks on a terminal which one is meant. */
async function createOrAsk(shell: Shell, client: Client, request: NewTask) {
  const { askLine, cwd } = shell
  try {
    return await client.create(request.repos ? request : { ...request, cwd })
  } catch (error) {
    if (!askLine || !(error instanceof AppError) || error.code !== "repo.unclear") throw error
    const repo = (await askLine(`${error.message} `)).trim()
    if (repo === "") throw error
    return await client.create({ ...request, repos: [repo] })
  }
}

async function promptFrom(shell: Shell, positionals: readonly string[]): Promise<string> {
  const [given, ...rest] = positionals
  if (rest.length > 0) throw new UsageError("`run` takes one prompt.", ["Put it in quotes."])
  const prompt = given === "-" ? await shell.readStdin() : given
  if (prompt?.trim()) return prompt
  throw new UsageError("`run` needs a prompt.", ['coppice run "Fix the failing test"'])
}

function settingsFrom(values: Values): Omit<NewTask, "prompt"> {
  const agent = textValue(values, "agent")
  const words = wordsFrom(values, "with")
  const resume = wordsFrom(values, "resume")
  const model = textValue(values, "model")
  const on = textValue(values, "on")
  const fork = textValue(values, "fork")
  const from = textValue(values, "from")
  const title = textValue(values, "title")
  const workItem = textValue(values, "work-item")
  const land = modeFrom(textValue(values, "land"))
  const repos = values["repo"] as string[] | undefined
  const plan = planFrom(textValue(values, "plan"))
  return {
    ...(agent !== undefined && { agent }),
    ...(words && { with: words }),
    ...(resume && { resume }),
    ...(model !== undefined && { model }),
    ...(title !== undefined && { title }),
    ...(workItem !== undefined && { workItem }),
    ...(repos !== undefined && { repos }),
    ...(land !== undefined && { land }),
    ...(plan !== undefined && { plan }),
    ...(on !== undefined && { on }),
    ...(fork !== undefined && { fork }),
    ...(from !== undefined && { from }),
    ...(values["copy"] === true && { copy: true }),
    ...orderFrom(values),
  }
}

function wordsFrom(values: Values, name: string): NewTask["with"] {
  const given = textValue(values, name)
  if (given === undefined) return undefined
  const split = splitWords(given)
  if (split.kind === "refused")
    throw new UsageError(`--${name} cannot be read: ${split.why}.`, [
      'coppice run --with "aider --message {prompt}" "Fix the failing test"',
    ])
  const [program, ...args] = split.words
  if (program === undefined) throw new UsageError(`--${name} names no program.`)
  return [program, ...args]
}

function planFrom(given: string | undefined): NewTask["plan"] {
  const mode = PLANS.find((candidate) => candidate === given)
  if (given !== undefined && mode === undefined)
    throw new UsageError(`--plan takes ${PLANS.join(", ")}, not ${given}.`)
  return mode
}

function modeFrom(given: string | undefined): NewTask["land"] {
  const mode = MODES.find((candidate) => candidate === given)
  if (given !== undefined && mode === undefined)
    throw new UsageError(`--land takes ${MODES.join(", ")}, not ${given}.`)
  return mode
}

const LANDS: Readonly<Record<(typeof MODES)[number], string>> = {
  merge: "on the target, automatically",
  approve: "on the target, once you approve it",
  pr: "by a pull request, when the forge merges it",
  none: "never: the branch is left for you",
}

function runSummary(output: Output, task: TaskDocument, taken: TakenDocument): string[] {
  const { agent, runtime, repos, land } = taken
  const rows = [
    ["agent", agent === runtime ? agent : `${agent} (${runtime})`],
    ...repos.flatMap(({ name, target, setup, gate, notes }) => [
      ["target", `${target} of ${name}`],
      ["setup", setup ?? "none"],
      ["gate", gate ?? "none: nothing is tested"],
      ...notes.map((note) => ["note", note]),
    ]),
    ["lands", LANDS[land as keyof typeof LANDS] ?? land],
  ]
  const painted = rows.map(([name, value]) => [`  ${output.paint("dim", name!)}`, oneLine(value!)])
  return [output.paint("bold", `${task.id}  ${oneLine(task.title)}`), ...formatTable(painted), ""]
}
