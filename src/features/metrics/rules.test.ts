import { expect, test } from "vitest"
import type { TaskId } from "../../base/ids.ts"
import { Metrics } from "./rules.ts"

const usage = {
  turns: 2,
  inputTokens: 10,
  cacheReadTokens: 2,
  cacheWriteTokens: 0,
  outputTokens: 5,
  costUsd: 0.25,
}

function count(told: readonly (readonly [s: number, type: string, data: object])[]): string {
  const metrics = new Metrics()
  for (const [s, type, data] of told)
    metrics.add({ atMs: 1000 * s, type, task: 1 as TaskId, data: data as never }, 'a "b"\n\\')
  return metrics.text([{ name: "now", about: "One number.", values: [[{}, 3]] }])
}

const linesOf = (text: string, name: string) =>
  text.split("\n").filter((line) => line.startsWith(name))

test("landings count by outcome, with the time in each state [49.1]", () => {
  const text = count([
    [0, "landing.snapshotted", { landing: 7, to: "queued", outcome: null }],
    [5, "landing.claimed", { landing: 7, to: "gating", outcome: null }],
    [9, "landing.published", { landing: 7, to: "cleaning", outcome: "LANDED" }],
    [9, "landing.handed_back", { landing: 8, to: "handed_back", outcome: null }],
    [
      9,
      "landing.handed_back",
      { landing: 9, to: "handed_back", outcome: null, causes: ["CHECKS"] },
    ],
  ])
  expect(linesOf(text, "coppice_landings_total")).toEqual([
    'coppice_landings_total{outcome="LANDED"} 1',
    'coppice_landings_total{outcome="REJECTED"} 2',
  ])
  expect(linesOf(text, "coppice_landing_state_seconds_total")).toEqual([
    'coppice_landing_state_seconds_total{state="queued"} 5',
    'coppice_landing_state_seconds_total{state="gating"} 4',
  ])
  expect(linesOf(text, "coppice_hand_backs_total")).toEqual([
    'coppice_hand_backs_total{reason="REJECTED"} 1',
    'coppice_hand_backs_total{reason="CHECKS"} 1',
  ])
})

test("turns count for their agent, and hostile names stay within their quotes [49.1]", () => {
  const text = count([[0, "turn.ended", { usage }]])
  expect(linesOf(text, "coppice_tokens_total")).toEqual([
    'coppice_tokens_total{agent="a \\"b\\"\\n\\\\",direction="in"} 12',
    'coppice_tokens_total{agent="a \\"b\\"\\n\\\\",direction="out"} 5',
  ])
  expect(linesOf(text, "coppice_cost_dollars_total")[0]).toMatch(/} 0\.25$/)
  expect(text).toMatch(/^# HELP now One number\.\n# TYPE now gauge\nnow 3\n/)
})

test("codes that an agent makes up do not add series without end [49.2]", () => {
  const stuck = Array.from({ length: 500 }, (_, n) => {
    return [n, "task.got_stuck", { reason: { code: `code-${n}` } }] as const
  })
  const lines = linesOf(count(stuck), "coppice_stuck_total")
  expect(lines).toHaveLength(201)
  expect(lines.at(-1)).toBe('coppice_stuck_total{reason="other"} 300')
})
