/** Answers what Claude Code asks before it uses a tool: permissions, and questions to a person. */
import type { CanUseTool, HookCallback } from "@anthropic-ai/claude-agent-sdk"
import type { Person, Turn } from "../../kernel/runtime/runtime.ts"

/** Our own verbs need no permission: they only report. */
const OWN_TOOLS = /^mcp__coppice__/
const ASKING = "AskUserQuestion"

/** A hook, because the program calls `canUseTool` only for tools that it would not allow anyway. */
export function askBefore(permit: NonNullable<Person["permit"]>): HookCallback {
  return async (input, _id, { signal }) => {
    if (input.hook_event_name !== "PreToolUse") return {}
    const { tool_name: tool, tool_input: given } = input
    if (OWN_TOOLS.test(tool) || tool === ASKING) return {}
    const end = await permit({ tool, input: (given ?? {}) as Record<string, unknown> }, signal)
    const { hook_event_name: hookEventName } = input
    if (end.kind === "allowed")
      return { hookSpecificOutput: { hookEventName, permissionDecision: "allow" } }
    const denied = { permissionDecision: "deny", permissionDecisionReason: end.message } as const
    return { hookSpecificOutput: { hookEventName, ...denied } }
  }
}

/** Tools that write files. A shell writes too, so the planning prompt also forbids it. */
const WRITES = ["Edit", "MultiEdit", "Write", "NotebookEdit"]
const ONLY_A_PLAN = "Change nothing yet: write the plan as your last message, and stop."

const ONLY_A_REVIEW =
  "Change nothing: you only review this work. Say in your verdict what is wrong."

type Reading = { readonly phase: Turn["phase"]; readonly onlyReads: boolean | undefined }

/** Refuses tools that change files while the agent plans or reviews. */
export function refuseWrites(now: () => Reading): HookCallback {
  return async (input) => {
    if (input.hook_event_name !== "PreToolUse" || !WRITES.includes(input.tool_name)) return {}
    const { phase, onlyReads } = now()
    if (phase !== "planning" && !onlyReads) return {}
    const { hook_event_name: hookEventName } = input
    const permissionDecisionReason = onlyReads ? ONLY_A_REVIEW : ONLY_A_PLAN
    const denied = { permissionDecision: "deny", permissionDecisionReason } as const
    return { hookSpecificOutput: { hookEventName, ...denied } }
  }
}

const NO_ANSWER_YET =
  "There is no answer yet. End your turn now: a person will read your question, and you go on " +
  "with the answer."

type Questions = {
  readonly questions?: readonly {
    readonly question: string
    readonly options?: readonly { readonly label: string }[]
  }[]
}

/** Allows every tool that no rule forbade; a question goes to a person. */
export function answerTools({ ask }: Pick<Person, "ask">): CanUseTool {
  return async (tool, input, { signal }) => {
    if (tool !== ASKING) return { behavior: "allow", updatedInput: input }
    const answers: Record<string, string> = {}
    for (const { question, options = [] } of (input as Questions).questions ?? []) {
      const choices = options.map(({ label }) => label)
      const answer = await ask({ text: question, choices }, signal)
      if (answer === undefined) return { behavior: "deny", message: NO_ANSWER_YET }
      answers[question] = answer
    }
    return { behavior: "allow", updatedInput: { ...input, answers } }
  }
}
