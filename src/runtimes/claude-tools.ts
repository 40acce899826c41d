/** What Claude Code asks before it uses a tool: whether it may, and what a person says. */
import type { CanUseTool, HookCallback } from "@anthropic-ai/claude-agent-sdk"
import type { SessionStart, Turn } from "./runtime.ts"

/** Our own verbs need no permission: they only report. */
const OWN_TOOLS = /^mcp__coppice__/
const ASKING = "AskUserQuestion"

/** A hook, because the program asks `canUseTool` only about tools that it would not allow by itself. */
export function askBefore(permit: NonNullable<SessionStart["permit"]>): HookCallback {
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

/** Tools that write files; a shell can too, so that the prompt of that phase says it as well. */
const WRITES = ["Edit", "MultiEdit", "Write", "NotebookEdit"]
const ONLY_A_PLAN = "Nothing is changed yet: write the plan as your last message, and stop."

/** Refuses what changes files, as long as the agent is only to plan. */
export function planOnly(phase: () => Turn["phase"]): HookCallback {
  return async (input) => {
    if (input.hook_event_name !== "PreToolUse" || phase() !== "planning") return {}
    if (!WRITES.includes(input.tool_name)) return {}
    const { hook_event_name: hookEventName } = input
    const denied = { permissionDecision: "deny", permissionDecisionReason: ONLY_A_PLAN } as const
    return { hookSpecificOutput: { hookEventName, ...denied } }
  }
}

const NOBODY_ANSWERS =
  "Nobody has answered yet. End your turn now: a person will read your question, and you go on " +
  "with the answer."

type Questions = {
  readonly questions?: readonly {
    readonly question: string
    readonly options?: readonly { readonly label: string }[]
  }[]
}

/** Tools are allowed, where no rule forbade them; a question goes to a person. */
export function answerTools({ ask }: Pick<SessionStart, "ask">): CanUseTool {
  return async (tool, input, { signal }) => {
    if (tool !== ASKING) return { behavior: "allow", updatedInput: input }
    const answers: Record<string, string> = {}
    for (const { question, options = [] } of (input as Questions).questions ?? []) {
      const choices = options.map(({ label }) => label)
      const answer = await ask({ text: question, choices }, signal)
      if (answer === undefined) return { behavior: "deny", message: NOBODY_ANSWERS }
      answers[question] = answer
    }
    return { behavior: "allow", updatedInput: { ...input, answers } }
  }
}
