/**
 * Computes what a turn used.
 *
 * The program reports only totals of the conversation. They continue over resumes, and a result
 * message is too late: a turn ends inside the Stop hook. So we read the totals at the start and end
 * of each turn, and take the difference.
 */
import type { ModelUsage } from "@anthropic-ai/claude-agent-sdk"
import type { Usage } from "../../api/wire/tasks.ts"
import type { ClaudeQuery } from "./stdio.ts"

export type Totals = Readonly<Record<string, ModelUsage>>

/** We do not wait longer for an answer: usage is worth less than the turn. */
const ANSWER_MS_MAX = 5_000

/** The conversation's totals by model; undefined if the program does not report them. */
export async function readTotals(query: ClaudeQuery): Promise<Totals | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWER_MS_MAX)
  })
  try {
    const asked = query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({
      skipBehaviors: true,
    })
    return await Promise.race([asked.then(({ session }) => session.model_usage), late])
  } catch {
    return undefined // the request is experimental: a program may not know it, or know another version
  } finally {
    clearTimeout(timer)
  }
}

/** The usage of one turn; unknown totals count as no use at an unknown cost. */
export function usageBetween(before: Totals | undefined, after: Totals | undefined): Usage {
  const used = (count: (usage: ModelUsage) => number) =>
    after && before
      ? Math.max(0, sum(Object.values(after), count) - sum(Object.values(before), count))
      : 0
  return {
    turns: 1,
    inputTokens: used((usage) => usage.inputTokens),
    outputTokens: used((usage) => usage.outputTokens),
    cacheReadTokens: used((usage) => usage.cacheReadInputTokens),
    cacheWriteTokens: used((usage) => usage.cacheCreationInputTokens),
    costUsd: after && before ? used((usage) => usage.costUSD) : null,
  }
}

function sum(usages: readonly ModelUsage[], count: (usage: ModelUsage) => number): number {
  return usages.reduce((total, usage) => total + count(usage), 0)
}
