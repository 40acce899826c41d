/**
 * The verbs of agents: tools of the MCP server, routes below `/agent/`, and `coppice agent <verb>`.
 *
 * Agents report and do not decide (law 9). No verb lands, moves a target, removes a worktree or sets a
 * state, except `stuck`, which an agent may say of itself. As in routes.ts, schemas are named here.
 */
import type { Received, SchemaName, Sent } from "./schemas.ts"

type Verb = {
  /** For the agent: what it does and when to use it. */
  readonly about: string
  readonly takes: SchemaName
  readonly answers: SchemaName
}

/** In the order in which agents see them. */
export const VERBS = {
  brief: {
    about: "Your task: what is wanted, where you work, what is tested, what was answered so far.",
    takes: "Nothing",
    answers: "BriefDocument",
  },
  progress: {
    about: "Say in one line what you are doing, for the people who watch.",
    takes: "Progress",
    answers: "AckDocument",
  },
  ask: {
    about:
      "Ask the person who gave you the task. Waits a while for the answer. If the result is `later`, " +
      "end your turn at once: you get the answer when there is one. Your work does not land until it is " +
      "answered.",
    takes: "ToAsk",
    answers: "AnsweredDocument",
  },
  check: {
    about: "Run the command that must pass before your work lands, on your files as they are now.",
    takes: "ToCheck",
    answers: "CheckDocument",
  },
  done: {
    about:
      "Say that the task is done. Runs the very command that must pass before your work lands and " +
      "returns its verdict: if it fails, go on; if it passes, end your turn.",
    takes: "Done",
    answers: "DoneDocument",
  },
  stuck: {
    about: "Say that you cannot go on. Your process ends, your files stay, and a person decides.",
    takes: "Stuck",
    answers: "AckDocument",
  },
  rebase_to_main: {
    about:
      "Rebase your branch onto the target as it is now. Everything is committed and saved first. A " +
      "conflict is left in your worktree for you to resolve with `git rebase --continue`.",
    takes: "ToRebase",
    answers: "RebasedDocument",
  },
  peers: {
    about:
      "List tasks that change these paths now (default: those that you changed), so that you can keep out " +
      "of each other's way.",
    takes: "ToFindPeers",
    answers: "PeersDocument",
  },
  propose_task: {
    about:
      "Propose another task that should be done, but not by you now: a follow-up, or a part of yours. A " +
      "person decides, unless your configuration lets it start at once. To wait for it, end your " +
      "turn; its result starts your next turn.",
    takes: "Proposal",
    answers: "ProposedDocument",
  },
  review: {
    about:
      "Only if your task is a review: your verdict on the work. Your last verdict counts, once your " +
      "turn ends.",
    takes: "Opinion",
    answers: "AckDocument",
  },
} as const satisfies Readonly<Record<string, Verb>>

type Verbs = typeof VERBS
export type VerbName = keyof Verbs
/** The input as an agent's command sends it. */
export type VerbInput<Name extends VerbName> = Sent<Verbs[Name]["takes"]>
/** The same as its handler has it. */
export type VerbGiven<Name extends VerbName> = Received<Verbs[Name]["takes"]>
export type VerbAnswer<Name extends VerbName> = Sent<Verbs[Name]["answers"]>
