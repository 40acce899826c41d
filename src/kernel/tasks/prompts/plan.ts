/** Prompts of the planning phase, and of its end. Pure. */
import { AGENT_DATA, quoted } from "../../../base/text/fence.ts"

const ONLY_A_PLAN = `Do not do this yet: write a plan first. Read whatever you need, and change nothing: no file, no
commit. Your last message must be the whole plan, because nothing else of this conversation is kept.
Say what you would change and where, in which order, how you would test it, and what you are not sure
about. Then stop.`

/** The first turn's prompt of a task that begins with a plan. */
export function planPrompt(prompt: string): string {
  return [prompt, "---", ONLY_A_PLAN].join("\n\n")
}

/** The next turn's prompt, in the same conversation, when the agent may carry out the plan. */
export function carryOutPrompt(isApproved: boolean): string {
  const by = isApproved ? "A person has approved your plan." : "Your plan is on record."
  return `${by} Carry it out now, in this worktree: you may change files now. If you deviate from it, say so at the end.`
}

/** The first prompt of the task's own agent, when another agent has planned. */
export function otherPlanPrompt(
  { prompt, planner, plan }: Record<"prompt", string> & Record<"planner" | "plan", string | null>,
  isApproved: boolean,
): string {
  const by = isApproved ? ", and a person has approved it" : ""
  return [
    prompt,
    "---",
    `${planner}, another agent, wrote this plan in this worktree${by}. ${AGENT_DATA}`,
    quoted(plan ?? ""),
    "Carry it out now. If you deviate from it, say so at the end.",
  ].join("\n\n")
}

/** The next turn's prompt, in the same conversation, when a person sends the plan back. */
export function replanPrompt(feedback: string | undefined): string {
  const request = feedback
    ? `A person has read your plan and wants it changed. Their feedback:\n\n${feedback}`
    : "A person has read your plan and does not approve it, without saying why. Review it from their point of view: is it what was asked for, and no more?"
  return [
    request,
    "Still change nothing: no file, no commit. Your last message must be the whole new plan. Then stop.",
  ].join("\n\n")
}
