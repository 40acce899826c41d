/** `coppice agent <verb>`: an agent asks about its task, or reports on it, from its own worktree. */
import { sayVerb } from "../../api/client/send-verb.ts"
import type { BriefDocument, PeersDocument, RebasedDocument } from "../../api/wire/agent.ts"
import type { VerbAnswer, VerbInput, VerbName } from "../../api/wire/verbs.ts"
import { shellWord } from "../../base/text/shell-word.ts"
import { ATTACH, attachedFiles, placesOfAgent } from "../../surfaces/cli/attached-files.ts"
import type { Command, Option, Shell, Values } from "../../surfaces/cli/command.ts"
import { checkLines } from "../../surfaces/cli/format/check.ts"
import { noOperands, oneText, textValue } from "../../surfaces/cli/operands.ts"
import type { Output } from "../../surfaces/cli/output.ts"

type Given = {
  readonly text: string
  readonly words: readonly string[]
  readonly values: Values
  readonly shell: Shell
}

type Row<Name extends VerbName> = Pick<Command, "details"> & {
  /** Default: none. One in angle brackets is a text, which must be there. */
  readonly operands?: string
  readonly options?: Command["options"]
  input(given: Given): VerbInput<Name> | Promise<VerbInput<Name>>
  /** Default: prints nothing. */
  print?(output: Output, answer: VerbAnswer<Name>): void
  /** Exits 1 otherwise. */
  isGood?(answer: VerbAnswer<Name>): boolean
}

function commandOf<Name extends VerbName>(verb: Name, row: Row<Name>): Command {
  const { operands = "", options = {}, details, input, print, isGood } = row
  return {
    operands,
    options,
    details,
    async run(shell, words, values) {
      if (operands === "") noOperands(words, `agent ${verb}`)
      const text = operands.startsWith("<") ? oneText(words, `agent ${verb}`) : ""
      const answer = await sayVerb(shell.env, verb, await input({ text, words, values, shell }))
      if (shell.json) shell.output.document(answer)
      else print?.(shell.output, answer)
      return isGood?.(answer) === false ? 1 : 0
    },
  }
}

const REPO: Option = { type: "string", value: "<repo>", about: "Only this repository of the task" }

function repoOf({ values }: Given): { readonly repo?: string } {
  const repo = textValue(values, "repo")
  return repo ? { repo } : {}
}

export const AGENT_COMMANDS = {
  brief: commandOf("brief", {
    details: "For agents, in their own worktree.",
    input: () => ({}),
    print: (output, brief) => output.lines(briefLines(brief)),
  }),
  progress: commandOf("progress", {
    operands: "<text>",
    options: { attach: ATTACH },
    details:
      "For agents, in their own worktree. `coppice ls` shows it. Files of --attach are kept with the task.",
    input: async ({ text, values, shell: { cwd, env, readStdinBytes } }) => {
      const where = { cwd, readStdinBytes, within: placesOfAgent(env) }
      return { text, ...(await attachedFiles(values, where)) }
    },
  }),
  ask: commandOf("ask", {
    operands: "<question>",
    options: {
      choice: { type: "string", value: "<text>", multiple: true, about: "A possible answer" },
    },
    details: [
      "For agents, in their own worktree. Prints the answer. Exits 1 if there is none within",
      "`session.ask_wait`. In that case, end your turn: the next one begins with the answer.",
    ].join("\n"),
    input: ({ text, values }) => ({
      question: text,
      choices: (values["choice"] ?? []) as string[],
    }),
    print: (output, { kind, answer }) =>
      kind === "answered"
        ? output.line(answer ?? "")
        : output.note(
            "There is no answer yet. End your turn: the next one begins with the answer.",
          ),
    isGood: ({ kind }) => kind === "answered",
  }),
  check: commandOf("check", {
    options: { repo: REPO },
    details: "For agents, on the files of their worktree as they are. Exits 1 if a check fails.",
    input: repoOf,
    print: (output, check) => output.lines(checkLines(check)),
    isGood: ({ passed }) => passed,
  }),
  done: commandOf("done", {
    operands: "<summary>",
    details: "For agents, in their own worktree. Runs the checks; exits 1 if one fails.",
    input: ({ text: summary }) => ({ summary }),
    print: (output, done) => output.lines(checkLines(done)),
    isGood: ({ declared }) => declared,
  }),
  stuck: commandOf("stuck", {
    operands: "<reason>",
    details: "For agents, in their own worktree. Ends your turn. The files stay as they are.",
    input: ({ text: reason }) => ({ reason }),
  }),
  peers: commandOf("peers", {
    operands: "[paths]",
    details:
      "For agents, in their own worktree. Without paths, uses those that the agent has changed.",
    input: ({ words }) => ({ paths: [...words] }),
    print: (output, found) => output.lines(peerLines(found)),
  }),
  rebase_to_main: commandOf("rebase_to_main", {
    options: { repo: REPO },
    details: [
      "For agents, in their own worktree. Commits uncommitted files and saves all work under a rescue ref",
      "first. Exits 1 if a conflict must be resolved.",
    ].join("\n"),
    input: repoOf,
    print: (output, rebased) => output.lines(rebasedLines(rebased)),
    isGood: ({ kind }) => kind === "rebased" || kind === "upToDate",
  }),
}

function briefLines(brief: BriefDocument): string[] {
  const { task, title, prompt, repos, questions, handedBack, agents } = brief
  return [
    `Task ${task}: ${title}`,
    "",
    prompt,
    "",
    ...repos.map(
      ({ name, branch, target, gate }) =>
        `${name}: ${branch} for ${target}; tested with ${gate ?? "nothing"}`,
    ),
    ...questions.map(({ text, answer }) => `You asked: ${text} - ${answer ?? "no answer yet"}`),
    ...(agents.length === 0 ? [] : [`Other agents for sub-tasks: ${agents.join(", ")}`]),
    ...(handedBack === null ? [] : ["", `It came back: ${handedBack}`]),
  ]
}

function peerLines({ peers }: PeersDocument): string[] {
  if (peers.length === 0) return ["No other task changes these paths."]
  return peers.flatMap(({ task, title, state, repo, paths, more }) => [
    `Task ${task} (${state}) in ${repo}: ${title}`,
    ...paths.map((path) => `  ${path}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ])
}

function rebasedLines(rebased: RebasedDocument): string[] {
  const { kind, target, onto, rescue, paths, reason } = rebased
  const on = `${target} (${onto?.slice(0, 12)})`
  const before = [
    ...submoduleLines(rebased),
    ...(rescue === null ? [] : [`Your work from before the rebase is saved as ${rescue}.`]),
  ]
  if (kind === "refused") return [`Nothing has changed: ${reason}.`]
  if (kind === "upToDate") return [`Your branch already contains all of ${on}.`]
  if (kind === "rebased") return [`Your commits are now based on ${on}.`, ...before]
  return [
    `A rebase onto ${on} is in progress. In conflict:`,
    ...paths.map((path) => `  ${path}`),
    "Keep the intent of both sides. Then, each time the rebase stops:",
    "  git add <files> && GIT_EDITOR=true git rebase --continue",
    ...before,
  ]
}

const submoduleLines = ({ submodules }: RebasedDocument): string[] =>
  submodules.length === 0
    ? []
    : [
        "These submodules are still at the commits of before. A commit of them would take back the target's:",
        `  git submodule update -- ${submodules.map(shellWord).join(" ")}`,
      ]
